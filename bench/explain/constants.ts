import { POLICIES, type Tuning } from '../../src/transport/limits/policies';

type Part = keyof Tuning;

/** A figure of the adaptive parts. */
export interface Constant {
	part: Part;
	name: string;
	value: number;
}

/** They say when something is given up, which is not part of adapting: tests hold them. */
export const NOT_ADAPTIVE = [
	'giveUpAfterMs',
	'unexplainedMs',
	'unexplainedRefusals',
	'finalPollMs',
	'maxFailedReads',
] as const;

/** All figures that the simulation can replace. */
export const CONSTANTS: Constant[] = (['rate', 'concurrency', 'polling'] as const).flatMap((part) =>
	Object.entries(POLICIES[part])
		.filter(([name]) => !(NOT_ADAPTIVE as readonly string[]).includes(name))
		.map(([name, value]) => ({ part, name, value })),
);

/** The table with one figure multiplied. Counts stay whole. */
export function tuned({ part, name, value }: Constant, factor: number): Tuning {
	const isCount = Number.isInteger(value) && value < 100;
	const changed = isCount ? Math.max(1, Math.round(value * factor)) : value * factor;
	return { ...POLICIES, [part]: { ...POLICIES[part], [name]: changed } };
}
