import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';
import { mediaGenApiTest } from '../../src/description/credentialTest';
import { sharedDescription } from '../../src/description/node';
import { singleResourceProperties } from '../../src/description/properties';
import { operations } from './operations';

export class MediaGenWorkspace implements INodeType {
	description: INodeTypeDescription = {
		...sharedDescription,
		displayName: 'MediaGen Workspace',
		name: 'mediaGenWorkspace',
		icon: {
			light: 'file:../icons/workspace.svg',
			dark: 'file:../icons/workspace.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ $parameter["operation"].replace("getAll", "getMany").replace(/([A-Z])/g, " $1").toLowerCase() }}',
		description: 'Read the credits, the usage and the models of the workspace',
		defaults: { name: 'MediaGen Workspace' },
		usableAsTool: true,
		builderHint: {
			searchHint: 'Reads the credit balance, the usage and the models that can be used.',
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: true, testedBy: 'mediaGenApiTest' }],
		properties: singleResourceProperties({ value: 'workspace', name: 'Workspace', operations }),
	};

	methods = {
		credentialTest: { mediaGenApiTest },
	};
}
