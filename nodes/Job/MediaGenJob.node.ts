import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';
import { mediaGenApiTest } from '../../src/description/credentialTest';
import { sharedDescription } from '../../src/description/node';
import { singleResourceProperties } from '../../src/description/properties';
import { operations } from './operations';

export class MediaGenJob implements INodeType {
	description: INodeTypeDescription = {
		...sharedDescription,
		displayName: 'MediaGen Job',
		name: 'mediaGenJob',
		icon: {
			light: 'file:../icons/job.svg',
			dark: 'file:../icons/job.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ $parameter["operation"].replace("getAll", "getMany").replace(/([A-Z])/g, " $1").toLowerCase() }}',
		description: 'Get any job by its ID, or wait until it has ended',
		defaults: { name: 'MediaGen Job' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Reads any MediaGen job by its ID, or waits for one that another node has started without waiting.',
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: true, testedBy: 'mediaGenApiTest' }],
		properties: singleResourceProperties({ value: 'job', name: 'Job', operations }),
	};

	methods = {
		credentialTest: { mediaGenApiTest },
	};
}
