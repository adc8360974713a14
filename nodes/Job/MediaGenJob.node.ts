import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { customOperations } from '../../src/n8n/entrance';
import { actionNode, icons, methods, OPERATION } from '../../src/n8n/node';
import { operations } from './operations';

const resources = [{ value: 'job', name: 'Job', operations }];

export class MediaGenJob implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(...resources),
		displayName: 'MediaGen Job',
		name: 'mediaGenJob',
		icon: icons('job'),
		subtitle: OPERATION,
		description: 'Get any job by its ID, or wait until it has ended',
		defaults: { name: 'MediaGen Job' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Reads any MediaGen job by its ID, or waits for one that another node has started without waiting.',
		},
	};

	customOperations = customOperations(resources);

	methods = methods;
}
