import type { Endpoint } from '../../../src/api';
import type { Failed } from '../../../src/base/result';
import { wordsOf } from '../../../src/n8n/output/words';
import type { Summary } from '../../../src/creation/operationSpec';
import type { Reply } from './questions';

/** What a check has found. */
export interface Finding {
	/**
	 * `null` if it could not be found out. It is no text, because n8n's conditions refuse a text where they
	 * expect a boolean.
	 */
	ok: boolean | null;
	says: string;
	/** Empty where nothing is to be done. */
	todo: string;
}

/** The row that is put out for a finding. */
export interface SetupRow extends Finding {
	check: string;
}

export const fine = (says: string): Finding => ({ ok: true, says, todo: '' });

export const wrong = (says: string, todo: string): Finding => ({ ok: false, says, todo });

export const unknown = (says: string, todo: string): Finding => ({
	ok: null,
	says: `Unknown: ${says}`,
	todo,
});

/** What a failure says, as a sentence, and what to do about it. */
export function saidOf(failed: Failed, endpoint: Endpoint): Omit<Finding, 'ok'> {
	const [happened, todo] = wordsOf(failed, { endpoint, itemIndex: 0 });
	return { says: `${happened.replace(/\.$/, '')}.`, todo };
}

/** The finding of a check whose question was not answered. */
export function unanswered(failed: Failed, endpoint: Reply['endpoint']): Finding {
	const { says, todo } = saidOf(failed, endpoint);
	return unknown(says, todo);
}

/** Those of the sentences that say something, in one line. */
export const inOneLine = (...sentences: string[]): string =>
	sentences.filter((sentence) => sentence !== '').join(' ');

/** How many checks are fine, and the first thing to do: what is wrong comes before what is not known. */
export function setupSummary(rows: SetupRow[]): Summary {
	const good = rows.filter(({ ok }) => ok === true);
	const open = rows.filter(({ ok }) => ok === null);
	const count = `${good.length} of ${rows.length} fine`;
	const counts = open.length > 0 ? `${count}, ${open.length} unknown` : count;
	const first = rows.find(({ ok }) => ok === false) ?? open.find(({ todo }) => todo !== '');
	if (first === undefined) return { message: `${counts}.`, isFine: open.length === 0 };
	return { message: `${counts}; first to do: ${first.todo}`, isFine: false };
}
