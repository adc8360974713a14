import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { customOperations } from '../../src/n8n/entrance';
import {
	actionNode,
	icons,
	methods,
	OPERATION_AND_RESOURCE,
	relatedNodes,
} from '../../src/n8n/node';
import { resources } from './operations';

export class MediaGenWebhook implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(...resources),
		displayName: 'MediaGen Webhook',
		name: 'mediaGenWebhook',
		icon: icons('webhook'),
		subtitle: OPERATION_AND_RESOURCE,
		description: 'Manage webhooks and list their deliveries',
		defaults: { name: 'MediaGen Webhook' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Manages webhooks of the service and lists what was delivered. To start a workflow by an event use MediaGen Trigger, which manages its own.',
			relatedNodes: relatedNodes({
				mediaGenTrigger: 'Use it instead to start a workflow on events of the service',
			}),
		},
	};

	customOperations = customOperations(resources);

	methods = methods;
}
