import { fail, type Failed } from '../base/result';

/*
 * Exceptions within our own code. Whatever throws, what is paid for is named, and no item takes another one
 * with it. There is one net for each thing that may not fall with the rest:
 *
 * - an item, from the moment that it is put together to its end: `runToEnd` in `runItem.ts`
 * - a call of a tool, which goes on when nobody waits for it any more: `startCall` in `tool.ts`
 * - the rows of an item: `finish` in `runOperation.ts`
 * - what is only said or remembered of a run: `addReceipt` and `noteEndOfRun` in `runOperation.ts`
 *
 * Below `src/n8n` nobody catches them: a creation gives its slot to others and throws on.
 */

/** What the language itself throws, but for SyntaxError, which quotes what it could not read. */
const OF_LANGUAGE = [TypeError, RangeError, ReferenceError];

/** Characters of what a fault says. */
const MOST_CHARACTERS = 200;

/** An exception as a failure, so that the job which it may have met is named. */
export function faultOf(error: unknown): Failed {
	if (!(error instanceof Error)) return fail({ kind: 'fault', problem: 'Error' });
	const { name, message } = error;
	const isOfLanguage = OF_LANGUAGE.some((kind) => error instanceof kind);
	// Others may have put an address or a key into it.
	const problem = isOfLanguage ? `${name}: ${message.slice(0, MOST_CHARACTERS)}` : name;
	return fail({ kind: 'fault', problem });
}
