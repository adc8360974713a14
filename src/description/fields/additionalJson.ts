import { additionalBody } from '../rules';
import type { Field } from '../operation';

type Values = Record<string, unknown>;

const isPlain = (value: unknown): value is Values =>
	typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/**
 * A copy with the values of `added`, which win; objects are merged, everything else is replaced.
 */
function merged(values: Values, added: Values): Values {
	const result = { ...values };
	for (const [name, value] of Object.entries(added)) {
		const before = Object.hasOwn(values, name) ? values[name] : undefined;
		result[name] = isPlain(before) && isPlain(value) ? merged(before, value) : value;
	}
	return result;
}

/**
 * JSON that is merged into the body of a creation: for models and fields that are newer than this
 * package. It wins over the fields of the node, because a new value of a field that is always sent,
 * such as the mode, could not be sent otherwise.
 */
export const additionalJson: Field = {
	ui: {
		displayName: 'Additional JSON',
		name: 'additionalFields',
		type: 'json',
		typeOptions: { rows: 4 },
		default: '{}',
		hint: 'Merged into the request, such as { "parameters": { "seed": 7 } }. It wins over the fields above.',
		description: 'Fields of the API that this node does not have, as a JSON object',
	},
	mapping: {
		in: 'body',
		as: 'additionalFields',
		rule: additionalBody(),
		apply: (body, added) => {
			Object.assign(body, merged(body, added as Values));
		},
	},
};
