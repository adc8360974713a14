import type { GenerationParameters } from '../../contract';
import type { ModelEntry, ParameterName } from '../catalogue/models';
import { invalid } from '../errors';
import type { Effective } from '../credits/prices';

const SHORTEST_SIDE = 16;
const LONGEST_SIDE = 4096;
const LONGEST_SECONDS = 300;

type Check = (value: string) => boolean;

const number =
	(low: number, high: number): Check =>
	(value) =>
		/^\d+(\.\d+)?s?$/.test(value) && parseFloat(value) >= low && parseFloat(value) <= high;

/** What the enumerated settings, which are strings, must look like; fiction of the sandbox. */
const FORMS: Partial<Record<ParameterName, { good: Check; hint: string }>> = {
	size: {
		good: (value) => {
			const sides = /^(\d{1,5})x(\d{1,5})$/.exec(value)?.slice(1).map(Number) ?? [0];
			return sides.every((side) => side >= SHORTEST_SIDE && side <= LONGEST_SIDE);
		},
		hint: `must be WIDTHxHEIGHT with sides of ${SHORTEST_SIDE} to ${LONGEST_SIDE} pixels`,
	},
	aspect_ratio: {
		good: (value) => {
			const parts = /^(\d{1,2}):(\d{1,2})$/.exec(value)?.slice(1).map(Number) ?? [0];
			return parts.every((part) => part > 0);
		},
		hint: 'must be a ratio such as 16:9',
	},
	resolution: {
		good: (value) => /^(\d{3,4}p|[124][kK])$/.test(value),
		hint: 'must be a resolution such as 720p or 2K',
	},
	duration: {
		good: number(0.5, LONGEST_SECONDS),
		hint: `must be seconds from 0.5 to ${LONGEST_SECONDS}, such as 5 or 5s`,
	},
	speed: { good: number(0.5, 2), hint: 'must be a number from 0.5 to 2' },
};

/** Refuses parameters that the model does not offer or cannot read; fills in its defaults. */
export function effectiveParameters(
	model: ModelEntry,
	given: GenerationParameters,
	strict: boolean,
): Effective {
	for (const [name, value] of Object.entries(given) as Array<[ParameterName, unknown]>) {
		if (value === undefined) continue;
		const field = `parameters.${name}`;
		if (strict && !model.parameters.includes(name)) {
			throw invalid(field, `is not offered by the model ${model.id}`);
		}
		const form = FORMS[name];
		if (strict && form && !form.good(String(value))) throw invalid(field, form.hint);
	}
	return { ...model.defaults, ...given };
}
