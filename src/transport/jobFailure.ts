import { fail, ok, type Failed, type Result } from '../base/result';
import { asText, isRecord, type Resource } from '../base/types';
import { messageIn, plainText } from './bodies';
import { jobState, type TerminalStatuses } from './jobState';

/* Why a job has failed, and what it lacked: read from the texts of its errors. */

/**
 * Why a job has failed, wholly or in part. The specification does not name the field (Generation), so the
 * likely ones are tried in this order: `error`, `errors[]`, `outputs[].error`.
 */
export function statedReason({ error, errors, outputs }: Resource): string | undefined {
	const ofOutputs = [outputs].flat().map((output) => isRecord(output) && output.error);
	for (const candidates of [[error], [errors].flat(), ofOutputs]) {
		const messages = candidates.map((each) => messageIn(each));
		const reasons = new Set(messages.filter((message) => message !== undefined));
		if (reasons.size > 0) return plainText([...reasons].join('; '));
	}
	return undefined;
}

const ABOUT_CREDITS = /credit|balance|budget/i;
const TOO_FEW =
	/insufficient|not enough|too few|exhausted|used up|r[ua]n out|out of|no[ _]credits|top.?up/i;

/**
 * What a job lacked that has failed: its errors say that credits or a budget are too low. The specification
 * does not show the types and words of these errors.
 */
function lackOf({ error, errors }: Resource, reason: string): 'credits' | 'budget' | undefined {
	const types = [error, errors].flat().map((one) => (isRecord(one) ? asText(one.type) : ''));
	const aboutLack = [...types, reason].filter(
		(text) => ABOUT_CREDITS.test(text) && TOO_FEW.test(text),
	);
	if (aboutLack.length === 0) return undefined;
	return aboutLack.some((text) => /budget/i.test(text)) ? 'budget' : 'credits';
}

/** An ended job as a result: a failure with the job if it has ended badly. */
export const toResult = (job: Resource, agentStatuses?: TerminalStatuses): Result<Resource> =>
	jobState(job, agentStatuses) === 'bad' ? failureOf(job) : ok(job);

/** The failure of an item whose job has ended badly. */
export function failureOf(job: Resource): Failed {
	const reason = statedReason(job) ?? 'failed without a stated reason';
	return fail({ kind: 'jobFailed', reason, lacks: lackOf(job, reason) }, job);
}
