import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';
import { mediaGenApiTest } from '../../src/n8n/credentialTest';
import { choicesInWords, icons } from '../../src/n8n/node';
import {
	downloadField,
	getModels,
	LISTED,
	modelsField,
	modesField,
	statusOptions,
} from '../../src/trigger/filters';
import { execute, poll } from './poll';

const BUILDING =
	"<b>While building your workflow</b>, click 'Fetch Test Event': it shows up to three of the newest images, videos and sounds that match, and starts nothing else.<br /> <br />";

export class MediaGenPollingTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'MediaGen Polling Trigger',
		name: 'mediaGenPollingTrigger',
		icon: icons('mediagen'),
		group: ['trigger'],
		version: 1,
		subtitle: choicesInWords('statuses', statusOptions),
		description: 'Start a workflow when images, videos or audio are done, without a public address',
		triggerPanel: {
			header: 'Start when something is done',
			executionsHelp: {
				inactive: `${BUILDING}<b>Once you're happy with your workflow</b>, publish it. Then n8n looks regularly, and starts it with what has finished since. ${LISTED}`,
				active: `${BUILDING}<b>Your workflow is also started</b> with what has finished since n8n last looked, since it is published. ${LISTED}`,
			},
		},
		defaults: { name: 'MediaGen Polling Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: true, testedBy: 'mediaGenApiTest' }],
		properties: [
			{
				displayName: 'Statuses',
				name: 'statuses',
				type: 'multiOptions',
				required: true,
				options: statusOptions,
				default: ['completed', 'partially_completed'],
				description: 'How an image, video or audio must have finished to start the workflow',
			},
			downloadField,
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				placeholder: 'Add option',
				default: {},
				options: [modelsField, modesField],
			},
		],
	};

	methods = {
		credentialTest: { mediaGenApiTest },
		loadOptions: { getModels },
	};

	poll = poll;
	execute = execute;
}
