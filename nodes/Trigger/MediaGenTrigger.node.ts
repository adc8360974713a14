import {
	NodeConnectionTypes,
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { mediaGenApiTest } from '../../src/description/credentialTest';
import { enrich } from './enrich';
import { fields } from '../../src/trigger/fields';
import { checkExists, create, remove } from './lifecycle';
import { getModels } from '../../src/trigger/models';
import { receive } from './receive';
import { mediaGenWebhookSecretApiTest } from './secretTest';

export class MediaGenTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'MediaGen Event Trigger',
		name: 'mediaGenTrigger',
		icon: {
			light: 'file:../icons/mediagen.svg',
			dark: 'file:../icons/mediagen.dark.svg',
		},
		group: ['trigger'],
		// Of version 1 n8n evaluates an expression for each delivery, and reads bodies of every type
		// before the node does.
		version: 2,
		subtitle: '={{ $parameter["events"].join(", ") }}',
		description: 'Start a workflow on signed events of the service, as soon as something is done',
		eventTriggerDescription: 'Waiting for an event of the service',
		activationMessage: 'The service sends its events to this workflow from now on.',
		defaults: { name: 'MediaGen Event Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'mediaGenApi', required: true, testedBy: 'mediaGenApiTest' },
			{
				name: 'mediaGenWebhookSecretApi',
				required: true,
				testedBy: 'mediaGenWebhookSecretApiTest',
				displayOptions: { show: { registration: ['manual'] } },
			},
		],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// Without it n8n answers with the literal text `firstEntryJson`.
				responseData: '',
				path: 'webhook',
			},
		],
		properties: fields,
	};

	methods = {
		credentialTest: { mediaGenApiTest, mediaGenWebhookSecretApiTest },
		loadOptions: { getModels },
	};

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return await checkExists.call(this);
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return await create.call(this);
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return await remove.call(this);
			},
		},
	};

	webhook = receive;

	/**
	 * Runs in the execution that `webhook` has started, where there is time to read and to download.
	 */
	execute = enrich;
}
