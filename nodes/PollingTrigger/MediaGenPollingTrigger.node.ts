import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';
import { mediaGenApiTest } from '../../src/description/credentialTest';
import { downloadField, statusOptions, modelsField, modesField } from '../../src/trigger/fields';
import { getModels } from '../../src/trigger/models';
import { execute } from './execute';
import { poll } from './poll';

export class MediaGenPollingTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'MediaGen Polling Trigger',
		name: 'mediaGenPollingTrigger',
		icon: {
			light: 'file:../icons/mediagen.svg',
			dark: 'file:../icons/mediagen.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["statuses"].join(", ") }}',
		description: 'Start a workflow when generations have finished, without a public address',
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
				description: 'How a generation must have finished to start the workflow',
			},
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				placeholder: 'Add option',
				default: {},
				options: [downloadField, modelsField, modesField],
			},
		],
	};

	methods = {
		credentialTest: { mediaGenApiTest },
		loadOptions: { getModels },
	};

	poll = poll;

	/**
	 * Runs in the execution that `poll` has started, where there is time to download, and in a manual
	 * run.
	 */
	execute = execute;
}
