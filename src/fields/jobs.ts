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
	description: 'Who can open the links to the files; without this option anyone',
	mapping: inBody('delivery', choice(DELIVERIES)),
};

const isPlainObject = (value: unknown): value is Json =>
	typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** A copy with the values of `added`, which win; objects are merged, everything else is replaced. */
function merged(values: Json, added: Json): Json {
	const result = { ...values };
	for (const [name, value] of Object.entries(added)) {
		const before = Object.hasOwn(values, name) ? values[name] : undefined;
		result[name] = isPlainObject(before) && isPlainObject(value) ? merged(before, value) : value;
	}
	return result;
}

/**
 * For models and fields that are newer than this package. It wins over the fields of the node: a new
 * value of a field that is always sent, such as the mode, could not be sent otherwise.
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

/** What reading a job offers that may be an agent run: `finished` follows the statuses. */
export const existingRunOutputs: Field[] = [
	downloadExisting,
	options([...statusFields(AGENT_STATUSES.any), ...fileOptions]),
];

/** What making a persona or a voice offers, and what reading one does. */
export const previewOptions = [downloadPreview, outputBinaryField];
export const previewOfExisting: Field[] = [
	{ ...downloadPreview, default: false },
	options([outputBinaryField]),
];

/** The options of every creation, whatever it makes. */
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

/** What every creation of a job offers besides its own fields and its `own` options. */
export const creationFields = (own: Field[], wait = waitForCompletion): Field[] => [
	waitUnlessOption,
	...downloadUnlessOption,
	options([...keyOptions, ...own, ...fileOptions, downloadOutputs, wait, waitTimeout]),
];
