import { fail, type Failed } from '../base/result';

/*
 * Exceptions within our own code. Whatever throws, the error names what is paid for, and no item takes
 * another one with it. Each of these must not fall with the rest, and has a net of its own:
 *
 * - an item, from the moment that it is put together to its end: `runToEnd` in `runOperation.ts`
 * - a tool call, which goes on when nobody waits for it any more: `startCall` in `tool.ts`
 * - the rows of an item: `withRows` in `runOperation.ts`
 * - what is only said or remembered of a run: `addReceipt` and `recordEndOfRun` in `runOperation.ts`
 *
 * Below `src/n8n` they are thrown on, past a creation, which gives its slot to others. What nobody awaits
 * throws them to whoever it is for: a single read of a job to the wait for it, a list of jobs to nobody, as
 * they are read singly then (`transport/jobPoller.ts`), an answer after a cancel to nobody
 * (`creation/sending.ts`), what a timer calls to all that wait for it (`base/wakeUp.ts`).
 *
 * What functions of n8n throw is caught where they are called. A fault of our own is taken for one of theirs
 * only where they run our code or we read their streams: a file that is opened (`files/localFile.ts`) or
 * stored (`files/transfer.ts`).
 */

/**
 * The errors that the language itself throws. SyntaxError is not among them, because it quotes what it could
 * not read.
 */
const OF_LANGUAGE = [TypeError, RangeError, ReferenceError];

/** The most characters that are shown of a fault's message. */
const MOST_CHARACTERS = 200;

/** Makes a failure of an exception, so that the error names the job to which it may have happened. */
export function faultOf(error: unknown): Failed {
	if (!(error instanceof Error)) return fail({ kind: 'fault', problem: 'Error' });
	const { name, message } = error;
	const isOfLanguage = OF_LANGUAGE.some((kind) => error instanceof kind);
	// Other errors may contain an address or a key.
	const problem = isOfLanguage ? `${name}: ${message.slice(0, MOST_CHARACTERS)}` : name;
	return fail({ kind: 'fault', problem });
}
