import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';
import { mediaGenApiTest, mediaGenWebhookSecretApiTest } from '../../src/n8n/credentialTest';
import { eventOptions } from '../../src/fields/events';
import { choicesInWords, icons } from '../../src/n8n/node';
import { getModels, LISTED } from '../../src/trigger/filters';
import { execute, receive } from './delivery';
import { fields } from './fields';
import { webhookMethods } from './registration';

const BUILDING =
	"<b>While building your workflow</b>, click 'Execute step', then let something finish, for example by running a <b>MediaGen</b> node in another workflow. Its event shows up in this editor.<br /> <br />";

export class MediaGenTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'MediaGen Trigger',
		name: 'mediaGenTrigger',
		icon: icons('mediagen'),
		group: ['trigger'],
		// Of version 1 n8n evaluates an expression for each delivery, and reads bodies of every type
		// before the node does.
		version: 2,
		subtitle: choicesInWords('events', eventOptions),
		// n8n shows it for the whole entry in the panel, where this trigger stands with the actions.
		description:
			'Generate images, videos, music and speech, or start a workflow when they are ready',
		eventTriggerDescription: 'Waiting for something to be done',
		activationMessage: 'The service sends its events to this workflow from now on.',
		triggerPanel: {
			header: 'Start when something is done',
			executionsHelp: {
				inactive: `${BUILDING}<b>Once you're happy with your workflow</b>, publish it. Then each of the chosen events starts it. ${LISTED}`,
				active: `${BUILDING}<b>Your workflow is also started</b> by each of the chosen events, since it is published. ${LISTED}`,
			},
		},
		defaults: { name: 'MediaGen Trigger' },
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

	webhookMethods = { default: webhookMethods };
	webhook = receive;
	execute = execute;
}
