import fc from 'fast-check';
import { repeatWith, seedOf } from './seed';

/** What every property starts from, unless it names a seed of its own. */
export const SEED = seedOf(20_261_121);

fc.configureGlobal({
	seed: SEED,
	reporter(run) {
		if (!run.failed) return;
		const message = `${repeatWith(run.seed)}\n${fc.defaultReportMessage(run) ?? ''}`;
		throw new Error(message, { cause: run.errorInstance });
	},
});

const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * A unit for `fc.string`: any code point but half a surrogate pair, as fast-check's own unit
 * `binary` has it. That one makes a table of a million entries in every file that uses it, which
 * takes longer than most properties.
 */
export const anyCodePoint = fc.integer({ min: 0, max: 0x10ffff - SURROGATES.count }).map(
	(index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
	(text) => {
		const point = typeof text === 'string' ? text.codePointAt(0) : undefined;
		if (point === undefined || String.fromCodePoint(point) !== text) throw new Error('not one');
		return point < SURROGATES.first ? point : point - SURROGATES.count;
	},
);

export default fc;
