import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';
import { mediaGenApiTest } from '../../src/description/credentialTest';
import { sharedDescription } from '../../src/description/node';
import { operationProperties } from '../../src/description/properties';
import { operations } from './operations';

export class MediaGenJob implements INodeType {
	description: INodeTypeDescription = {
		...sharedDescription,
		displayName: 'MediaGen Job',
		name: 'mediaGenJob',
		icon: {
			light: 'file:../icons/mediagen.svg',
			dark: 'file:../icons/mediagen.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ $parameter["operation"].replace("getAll", "getMany").replace(/([A-Z])/g, " $1").toLowerCase() }}',
		description: 'Get any job by its ID, or wait until it has ended',
		defaults: { name: 'MediaGen Job' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: true, testedBy: 'mediaGenApiTest' }],
		properties: operationProperties(operations),
	};

	methods = {
		credentialTest: { mediaGenApiTest },
	};
}
