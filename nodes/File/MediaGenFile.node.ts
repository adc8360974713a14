import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { mediaGenApiTest } from '../../src/description/credentialTest';
import { icons, OPERATION, sharedDescription } from '../../src/description/node';
import { nodeProperties } from '../../src/description/properties';
import { operations } from './operations';

export class MediaGenFile implements INodeType {
	description: INodeTypeDescription = {
		...sharedDescription,
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
		properties: nodeProperties([{ value: 'file', name: 'File', operations }]),
	};

	methods = {
		credentialTest: { mediaGenApiTest },
	};
}
