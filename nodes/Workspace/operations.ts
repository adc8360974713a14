import { ENDPOINTS, isRecord, MODEL_MODES, type Json, type ModelMode } from '../../src/api';
import {
	inQuery,
	listFields,
	type Operation,
	optionList,
	simplify,
} from '../../src/fields/operation';
import { choice, dateTime } from '../../src/fields/rules';
import { checkSetup } from './setup/checkSetup';
import { setupSummary, type SetupRow } from './setup/finding';

const getCredits: Operation = {
	value: 'getCredits',
	name: 'Get Credits',
	action: 'Get the credit balance',
	description: 'Read the credits that the workspace has left. Costs nothing.',
	spec: { endpoint: ENDPOINTS.getCredits, output: 'resource' },
	fields: [],
};

const getUsage: Operation = {
	value: 'getUsage',
	name: 'Get Usage',
	action: 'Get the usage',
	description: 'Read what the workspace has used, by mode. Costs nothing.',
	spec: { endpoint: ENDPOINTS.getUsage, output: 'resource' },
	fields: [
		{
			displayName: 'Since',
			name: 'since',
			type: 'dateTime',
			default: '',
			placeholder: 'e.g. 2026-01-31T12:00:00Z',
			description:
				'Only usage after this time, in the time zone of the workflow unless one is given. Leave empty for all.',
			mapping: inQuery('since', dateTime()),
		},
	],
};

/** A model with the number of its voices instead of their list, its largest part by far. */
export function simpleModel(model: Json): Json {
	const { capabilities } = model;
	if (!isRecord(capabilities) || !Array.isArray(capabilities.voices)) return model;
	const { voices, ...others } = capabilities;
	return { ...model, capabilities: { ...others, voice_count: (voices as unknown[]).length } };
}

const getModels: Operation = {
	value: 'getModels',
	name: 'Get Many Models',
	action: 'Get many models',
	description: 'List the models that can be used, and what they can do. Costs nothing.',
	spec: { endpoint: ENDPOINTS.listModels, output: 'list', simplify: simpleModel },
	fields: [
		{
			displayName: 'Mode',
			name: 'mode',
			type: 'options',
			options: optionList<ModelMode | ''>({
				agent: { name: 'Agent' },
				'': { name: 'All' },
				audio: { name: 'Audio', description: 'Music, sound effects and speech' },
				image: { name: 'Image' },
				video: { name: 'Video' },
			}),
			default: '',
			description: 'Only models that make this kind of media',
			mapping: inQuery('mode', choice(MODEL_MODES)),
		},
		...listFields,
		{
			...simplify,
			description:
				'Whether to return a simplified version of the response instead of the raw data: without the lists of voices',
		},
	],
};

/** How long _Check Setup_ waits for an answer, in ms: a person who is setting something up waits for it. */
const ANSWER_MS = 15_000;

const setupCheck: Operation = {
	value: 'checkSetup',
	name: 'Check Setup',
	action: 'Check the setup',
	description:
		'Check key, scopes, credits, models, jobs, clock, addresses, webhooks and files, one row each. Makes nothing and costs nothing.',
	spec: {
		endpoint: ENDPOINTS.getCredits,
		output: 'list',
		responseTimeoutMs: ANSWER_MS,
		perform: checkSetup,
		summary: (rows) => setupSummary(rows as unknown as SetupRow[]),
	},
	fields: [],
};

export const operations: Operation[] = [getCredits, getModels, getUsage, setupCheck];
