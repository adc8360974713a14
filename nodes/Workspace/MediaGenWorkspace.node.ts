import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { customOperations } from '../../src/n8n/entrance';
import { actionNode, icons, methods, OPERATION } from '../../src/n8n/node';
import { operations } from './operations';

const resources = [{ value: 'workspace', name: 'Workspace', operations }];

export class MediaGenWorkspace implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(...resources),
		displayName: 'MediaGen Workspace',
		name: 'mediaGenWorkspace',
		icon: icons('workspace'),
		subtitle: OPERATION,
		description: 'Check the setup, and read credits, usage and models of the workspace',
		defaults: { name: 'MediaGen Workspace' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Checks key, scopes, webhooks and all else that has to be right; reads the credit balance, the usage and the models that can be used.',
		},
	};

	customOperations = customOperations(resources);

	methods = methods;
}
