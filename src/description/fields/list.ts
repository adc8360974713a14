import { isRecord } from '../../transport/base/types';
import type { Field } from '../operation';

/** Return All and Limit; the transport reads both and follows the cursor. */
export const listFields: Field[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		displayOptions: { show: { returnAll: [false] } },
		default: 50,
		description: 'Max number of results to return',
	},
];

/** Offered where entries are large. */
export const simplify: Field = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

type Entry = Record<string, unknown>;

const isPlain = (value: unknown) => typeof value !== 'object' || value === null;

/** An entry without nested values. */
export const plainFields = (entry: Entry): Entry =>
	Object.fromEntries(Object.entries(entry).filter(([, value]) => isPlain(value)));

/**
 * A model with the number of its voices instead of their list, which is its largest part by far.
 */
export function simpleModel(model: Entry): Entry {
	const { capabilities } = model;
	if (!isRecord(capabilities) || !Array.isArray(capabilities.voices)) return model;
	const { voices, ...others } = capabilities;
	return { ...model, capabilities: { ...others, voice_count: (voices as unknown[]).length } };
}

const VOICE_FIELDS = ['id', 'label', 'gender', 'language_code', 'language_name', 'sample_url'];

/** The fields by which people choose a preset voice. Specification: PresetVoice. */
export const simpleVoice = (voice: Entry): Entry =>
	Object.fromEntries(Object.entries(voice).filter(([name]) => VOICE_FIELDS.includes(name)));
