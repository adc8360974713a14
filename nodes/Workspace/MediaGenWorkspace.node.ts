import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { mediaGenApiTest } from '../../src/description/credentialTest';
import { icons, OPERATION, sharedDescription } from '../../src/description/node';
import { nodeProperties } from '../../src/description/properties';
import { operations } from './operations';

export class MediaGenWorkspace implements INodeType {
	description: INodeTypeDescription = {
		...sharedDescription,
		displayName: 'MediaGen Workspace',
		name: 'mediaGenWorkspace',
		icon: icons('workspace'),
		subtitle: OPERATION,
		description: 'Read the credits, the usage and the models of the workspace',
		defaults: { name: 'MediaGen Workspace' },
		usableAsTool: true,
		builderHint: {
			searchHint: 'Reads the credit balance, the usage and the models that can be used.',
		},
		properties: nodeProperties([{ value: 'workspace', name: 'Workspace', operations }]),
	};

	methods = {
		credentialTest: { mediaGenApiTest },
	};
}
