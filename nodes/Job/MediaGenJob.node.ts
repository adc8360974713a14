import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { mediaGenApiTest } from '../../src/description/credentialTest';
import { icons, OPERATION, sharedDescription } from '../../src/description/node';
import { nodeProperties } from '../../src/description/properties';
import { operations } from './operations';

export class MediaGenJob implements INodeType {
	description: INodeTypeDescription = {
		...sharedDescription,
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
		properties: nodeProperties([{ value: 'job', name: 'Job', operations }]),
	};

	methods = {
		credentialTest: { mediaGenApiTest },
	};
}
