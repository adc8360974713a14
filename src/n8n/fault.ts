import { fail, type Failed } from '../base/result';

/** What the language itself throws: its words hold nothing of a request, and so no secret. */
const OF_LANGUAGE = [TypeError, RangeError, ReferenceError, SyntaxError];

/** Characters of what a fault says. */
const MOST_SHOWN = 200;

/** An exception within our own code as a failure, so that the job which it may have met is named. */
export function faultOf(error: unknown): Failed {
	const isOfLanguage = OF_LANGUAGE.some((kind) => error instanceof kind);
	const { name, message } = error instanceof Error ? error : new Error();
	const problem = isOfLanguage ? `${name}: ${message.slice(0, MOST_SHOWN)}` : name;
	return fail({ kind: 'fault', problem });
}
