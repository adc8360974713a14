import {
	NodeConnectionTypes,
	type ICredentialsDecrypted,
	type INodeCredentialTestResult,
	type INodeProperties,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { mediaGenApiTest } from '../../src/description/credentialTest';
import { eventOptions } from '../../src/description/fields/events';
import { optionList } from '../../src/description/fields/optionList';
import { getModels, modelsField, modesField, statusOptions } from '../../src/events/filters';
import { execute } from './execute';
import { receive } from './receive';
import { webhookMethods, type RegistrationMode } from './registration';

/** A secret cannot be tested against the service, but typical copying mistakes can be detected. */
async function mediaGenWebhookSecretApiTest({
	data,
}: ICredentialsDecrypted): Promise<INodeCredentialTestResult> {
	const secret = data?.signingSecret;
	if (typeof secret !== 'string' || secret === '') {
		const message = 'Enter the signing secret that was shown when the webhook was created.';
		return { status: 'Error', message };
	}
	if (secret.trim() !== secret) {
		const message = 'The secret begins or ends with a space. Every delivery would be refused.';
		return { status: 'Error', message };
	}
	const message =
		'The secret looks complete. Only the first event can show whether it is the right one.';
	return { status: 'OK', message };
}

/** Shown before the workflow is published: n8n reports what is missing only afterwards. */
const notices: INodeProperties[] = [
	{
		displayName:
			'The service sends events to public <b>https</b> addresses only. If the Webhook URLs above begin with http, use the <b>MediaGen Polling Trigger</b>, or set WEBHOOK_URL of n8n to its public address.',
		name: 'notice',
		type: 'notice',
		default: '',
		displayOptions: { show: { registration: ['automatic' satisfies RegistrationMode] } },
	},
	{
		displayName:
			'1. Copy the <b>Production URL</b> from Webhook URLs above; it must begin with https.<br>2. Create a webhook with this URL and your events at the service, for example with <b>MediaGen Webhook: Create</b> and its option <b>Include Signing Secret</b>.<br>3. Put its signing secret into the credential <b>MediaGen Webhook Secret API</b> of this node.<br>4. Publish the workflow.<br>The Test URL is another address: to listen for test events, it needs a webhook of its own, with its secret in the credential for that time.',
		name: 'notice',
		type: 'notice',
		default: '',
		displayOptions: { show: { registration: ['manual' satisfies RegistrationMode] } },
	},
];

const options: INodeProperties[] = [
	{
		displayName: 'Download Outputs',
		name: 'downloadOutputs',
		type: 'boolean',
		default: false,
		description: 'Whether to download the files into the binary fields data, data_1 and so on',
	},
	{
		displayName: 'Fetch Resource',
		name: 'fetchResource',
		type: 'boolean',
		default: false,
		description: 'Whether to read what is done and put it as a whole into the field "resource"',
	},
	modelsField,
	modesField,
	{
		displayName: 'Resource IDs',
		name: 'resourceIds',
		type: 'string',
		default: '',
		placeholder: 'e.g. gen_8f3a1c, gen_90b2aa',
		description: 'Only events of these resources, separated by commas. Leave empty for all.',
	},
	{
		displayName: 'Statuses',
		name: 'statuses',
		type: 'multiOptions',
		options: [...statusOptions, { name: 'Ready', value: 'ready' }],
		default: [],
		description: 'Only resources with one of these statuses. Leave empty for all.',
	},
];

const BUILDING =
	"<b>While building your workflow</b>, click 'Listen for test event', then let something finish, for example by running a <b>MediaGen</b> node in another workflow. Its event shows up in this editor.<br /> <br />";

const LISTED =
	"These executions show up in the <a data-key='executions'>executions list</a>, but not in the editor.";

export class MediaGenTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'MediaGen Trigger',
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
		description: 'Start a workflow as soon as something is done, on signed events of the service',
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
		properties: [
			...notices,
			{
				displayName: 'Events',
				name: 'events',
				type: 'multiOptions',
				required: true,
				options: eventOptions,
				default: ['generation.completed'],
				description: 'What starts the workflow',
			},
			{
				displayName: 'Registration',
				name: 'registration',
				type: 'options',
				options: optionList<RegistrationMode>({
					automatic: {
						name: 'Automatic',
						description: 'Publishing the workflow creates the webhook, unpublishing deletes it',
					},
					manual: {
						name: 'By Hand',
						description: 'You have created a webhook with the URL of this node and have its secret',
					},
				}),
				default: 'automatic',
				description: 'Who creates the webhook at the service',
			},
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				placeholder: 'Add option',
				default: {},
				options,
			},
		],
	};

	methods = {
		credentialTest: { mediaGenApiTest, mediaGenWebhookSecretApiTest },
		loadOptions: { getModels },
	};

	webhookMethods = { default: webhookMethods };

	webhook = receive;

	execute = execute;
}
