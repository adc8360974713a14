import { DELIVERIES, type Delivery, type Json } from '../api';
import { AGENT_STATUSES } from '../transport/jobState';
import { inBody, optionList, options, type Field } from './operation';
import { choice, jsonObject } from './rules';
import {
	creditWaitTimeout,
	downloadExisting,
	downloadOutputs,
	downloadPreview,
	downloadUnlessOption,
	dryRun,
	idempotency,
	idempotencyKey,
	includeInputFields,
	maxCredits,
	maxCreditsOrStop,
	maxCreditsPerDay,
	onInsufficientCredits,
	outputBinaryField,
	resultField,
	splitOutputs,
	statusFields,
	waitForCompletion,
	waitTimeout,
	waitUnlessOption,
} from './settings';

/* The fields and options that several operations have in common: of creating something, and of reading it. */

/** Specification: CreateGeneration and CreateSpeechGeneration, `delivery`. */
export const delivery: Field = {
	displayName: 'Delivery',
	name: 'delivery',
	type: 'options',
	options: optionList<Delivery>({
		public_url: {
			name: 'Public URL',
			description: 'Anyone who has the link can open it',
		},
		signed_url: {
			name: 'Signed URL',
			description: 'The link expires; reading the job again gives a new one',
		},
	}),
	default: 'signed_url' satisfies Delivery,
	description: 'Who can open the links to the files (anyone by default)',
	mapping: inBody('delivery', choice(DELIVERIES)),
};

const isPlainObject = (value: unknown): value is Json =>
	typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/**
 * A copy of an object with the values of `added`, which win. Objects within it are merged, everything else is
 * replaced.
 */
function merged(values: Json, added: Json): Json {
	const result = { ...values };
	for (const [name, value] of Object.entries(added)) {
		const before = Object.hasOwn(values, name) ? values[name] : undefined;
		result[name] = isPlainObject(before) && isPlainObject(value) ? merged(before, value) : value;
	}
	return result;
}

/**
 * Additional fields of the body, for models and parameters that are newer than this package. They win over
 * the fields of the node: otherwise a new value could not be sent of a field that is always sent, such as the
 * mode.
 */
export const additionalJson: Field = {
	displayName: 'Additional JSON',
	name: 'additionalFields',
	type: 'json',
	typeOptions: { rows: 4 },
	default: '{}',
	hint: 'Such as { "parameters": { "seed": 7 } }; wins over the fields above',
	description: 'Further fields of the API, as JSON',
	mapping: {
		...inBody('additionalFields', jsonObject()),
		apply(body, added) {
			for (const [name, value] of Object.entries(merged(body, added as Json))) body[name] = value;
		},
	},
};

export const fileOptions = [outputBinaryField, splitOutputs];

export const existingOutputs: Field[] = [downloadExisting, options(fileOptions)];

/**
 * The options of reading a job that may be an agent run. `finished` follows the statuses that the user has
 * set.
 */
export const existingRunOutputs: Field[] = [
	downloadExisting,
	options([...statusFields(AGENT_STATUSES.any), ...fileOptions]),
];

/** The options of making a persona or a voice, and of reading one. */
export const previewOptions = [downloadPreview, outputBinaryField];
export const previewOfExisting: Field[] = [
	{ ...downloadPreview, default: false },
	options([outputBinaryField]),
];

/** The options that every creation has. */
export const keyOptions: Field[] = [
	additionalJson,
	dryRun,
	idempotency,
	idempotencyKey,
	includeInputFields,
	resultField,
];

export const paidKeyOptions: Field[] = [...keyOptions, maxCreditsOrStop, maxCreditsPerDay];

export const creditOptions: Field[] = [
	creditWaitTimeout,
	maxCredits,
	maxCreditsPerDay,
	onInsufficientCredits,
];

/** The fields and options of a creation of a job: those that all have, and its own. */
export const creationFields = (own: Field[], wait = waitForCompletion): Field[] => [
	waitUnlessOption,
	...downloadUnlessOption,
	options([...keyOptions, ...own, ...fileOptions, downloadOutputs, wait, waitTimeout]),
];
