import { isRecord } from '../../transport/base/types';
import { asValue, firstOf, listOf, standardIn, valuesIn, type ModelValue } from './valueShapes';

/**
 * What the catalogue says about one parameter of one model; no values if nothing of it can be read.
 */
export interface ModelValues {
	values: ModelValue[];
	/** The value if the parameter is left out. */
	standard?: string;
}

/** What a catalogue may call a parameter besides its own name. */
const SYNONYMS: Record<string, string[]> = { language_boost: ['language', 'languages'] };

/** `supported_aspectRatios` and `aspect-ratio` are the same to us. */
const normal = (key: string) =>
	key
		.toLowerCase()
		.replace(/[^a-z0-9]/g, '')
		.replace(/^(supported|available|allowed)/, '');

function namesOf(parameter: string): Set<string> {
	const names = [parameter, ...(SYNONYMS[parameter] ?? [])];
	const plurals = names.map((name) =>
		name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`,
	);
	return new Set([...names, ...plurals].map(normal));
}

/**
 * What a part of a catalogue entry holds under the name of a parameter: itself, plural, in camel
 * case, in a list or a JSON Schema.
 */
function under(container: unknown, parameter: string): unknown[] {
	const names = namesOf(parameter);
	if (Array.isArray(container)) {
		return listOf(container).filter((one) => {
			const name = isRecord(one) ? firstOf(one, ['name', 'id', 'key', 'parameter']) : undefined;
			return name !== undefined && names.has(normal(name));
		});
	}
	if (!isRecord(container)) return [];
	const keys = Object.keys(container).filter((key) => names.has(normal(key)));
	const own = keys.sort((a) => (a === parameter ? -1 : 1)).map((key) => container[key]);
	return container.properties === undefined
		? own
		: [...own, ...under(container.properties, parameter)];
}

/**
 * The values that a model takes for a parameter, as far as its entry of the catalogue can be read.
 * The specification shows nothing of an entry but the voices of speech models (Other response
 * bodies), so every shape is possible, and none is an error.
 */
export function modelValues(model: unknown, parameter: string): ModelValues {
	if (!isRecord(model)) return { values: [] };
	const { capabilities, parameters, defaults } = model;
	const within = isRecord(capabilities) ? capabilities : {};
	const found = [
		...under(capabilities, parameter),
		...under(within.parameters, parameter),
		...under(parameters, parameter),
		...under(model, parameter),
		...under(within.defaults, parameter),
		...under(defaults, parameter),
	];
	const values = found.map((one) => valuesIn(one)).find((list) => list.length > 0) ?? [];
	const stated = [...under(defaults, parameter), ...under(within.defaults, parameter)];
	const standard = [...stated.map(asValue), ...found.map(standardIn)].find(
		(value) => value !== undefined,
	);
	return standard === undefined ? { values } : { values, standard };
}
