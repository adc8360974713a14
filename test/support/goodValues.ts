import { INPUT_SLOTS } from '../../src/api';
import type { Json } from '../../src/base/types';
import type { Operation } from '../../src/fields/operation';
import { mappedFields, type MappedField } from '../../src/fields/readFields';

const url = 'https://example.com/a.png';

/** A value that a field takes, by its name in the request. */
const GOOD: Record<string, unknown> = {
	mode: 'image',
	model: 'service/speech-lite',
	prompt: 'A boat',
	delivery: 'signed_url',
	persona_id: '3b241101-e2bb-4255-8caf-4136c566a962',
	brief: 'A spot',
	max_credits: 5,
	plan: '{"steps": []}',
	decision: 'assemble',
	name: 'Mara',
	description: 'Calm',
	url,
	events: ['voice.created'],
	audio_url: url,
	reference_images: url,
	file: 'data',
	id: 'gen_1',
	since: '2026-01-31',
	shared: true,
	source_images: url,
	auto_approve: false,
	idempotencyKey: 'order 1',
};

const slots: readonly string[] = INPUT_SLOTS;

/** A value that a field takes, so that the others of the operation come to their turn. */
export function goodFor({ parameter, mapping: { as }, field }: MappedField): unknown {
	if (parameter === 'blocks')
		return { block: [{ text: 'Hello', voice: { __rl: true, value: '' } }] };
	if (parameter === 'blocksJson') return '["Hello"]';
	if (parameter === 'text') return 'Hello';
	const slot = as.split('.').at(-1) ?? '';
	return slots.includes(slot) ? url : (GOOD[as] ?? field.default);
}

/** Parameters with a value at a dotted path. */
export function withValue(parameters: Json, path: string, value: unknown): Json {
	const [name = '', inner] = path.split('.');
	if (inner === undefined) return { ...parameters, [name]: value };
	return { ...parameters, [name]: { ...(parameters[name] as object), [inner]: value } };
}

/** Parameters with which the editor shows a field. */
export function showing(parameters: Json, { parameter, field }: MappedField): Json {
	const within = parameter.slice(0, parameter.lastIndexOf('.') + 1);
	const show = Object.entries(field.displayOptions?.show ?? {});
	return show.reduce((all, [name, wanted]) => {
		const [value]: unknown[] = [wanted].flat();
		if (name.startsWith('@')) return all;
		return withValue(all, name.startsWith('/') ? name.slice(1) : `${within}${name}`, value);
	}, parameters);
}

/** What an operation cannot do without. */
export const requiredOf = ({ fields }: Operation): Json =>
	mappedFields(fields)
		.filter(({ parameter }) => !parameter.includes('.'))
		.reduce((all: Json, field) => withValue(all, field.parameter, goodFor(field)), {});
