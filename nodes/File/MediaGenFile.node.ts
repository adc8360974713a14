import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { customOperations } from '../../src/n8n/entrance';
import { actionNode, icons, methods, OPERATION } from '../../src/n8n/node';
import { operations } from './operations';

const resources = [{ value: 'file', name: 'File', operations }];

export class MediaGenFile implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(...resources),
		displayName: 'MediaGen File',
		name: 'mediaGenFile',
		icon: icons('file'),
		subtitle: OPERATION,
		description: 'Upload files of any size for other operations to use',
		defaults: { name: 'MediaGen File' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Uploads a binary field once, and outputs its URL for several MediaGen nodes. Not needed for a single use: their media fields take binary fields.',
		},
	};

	customOperations = customOperations(resources);

	methods = methods;
}
