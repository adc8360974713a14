import { ENDPOINTS, textOf, type Endpoint } from '../api';
import type { Failed, Failure, JobFailure, NoResponseFailure } from '../base/result';
import { asText } from '../base/types';
import { wordsOfNoResponse } from '../transport/network';
import { meaningOf, refusalOf, type Text } from '../transport/statuses';
import { plainText } from '../transport/bodies';
import { holdsSlot, readerOf, statedReason } from '../transport/jobState';
import { roundedUp } from '../transport/priceBook';
import { canGoOn, goOn, type ErrorContext, type Labels } from './errorContext';
import type { IdempotencyMode } from '../creation/item';

/**
 * A message of the service with API field names replaced by the labels of the editor. A name that
 * is also an English word, such as `model`, is replaced only if it is quoted or begins the message.
 */
export function withEditorLabels(text: string, labels: Labels): string {
	const paths = Object.keys(labels).sort((one, other) => other.length - one.length);
	return paths.reduce((message, path) => {
		const names = path.split('.').map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
		const name = `/?${names.join('[./]')}(?:\\[\\d+\\]|[./]\\d+)?`;
		const isWord = !/[._]/.test(path);
		const bare = isWord ? `^${name}(?=[\\s:])` : `(?<![\\w./])${name}(?![\\w[]|[./]\\w)`;
		return message.replace(new RegExp(`(["'\`])${name}\\1|${bare}`, 'g'), labels[path] ?? path);
	}, text);
}

/** Whether only reading the job that the item has created can have failed. */
const readsOwnJob = (failed: Failed, { creates }: ErrorContext): boolean =>
	creates === true && failed.job !== undefined && failed.endpoint?.method !== 'POST';

/** The operation whose request failed. */
function failedEndpoint(failed: Failed, context: ErrorContext): Endpoint {
	if (failed.endpoint) return failed.endpoint;
	if (!readsOwnJob(failed, context)) return context.endpoint;
	const object = asText(failed.job?.object) || (context.object ?? '');
	return { ...ENDPOINTS.getJob, scope: readerOf(object).scope };
}

/** How far the run has come; empty where that is not known or goes without saying. */
function progress({ items = 1, submitted }: ErrorContext): string {
	if (items === 1 || submitted === undefined) return '';
	const were = (count: number) => (count === 1 ? 'was' : 'were');
	const left = items - submitted;
	return `${submitted} ${submitted === 1 ? 'item' : 'items'} ${were(submitted)} submitted, ${left} ${were(left)} not. `;
}

/** A service may refuse a request because its key was used for another one: of an earlier execution, then. */
const REFUSED_KEY: Partial<Record<IdempotencyMode, string>> = {
	content: ' If that is the idempotency key, set Avoid Paying Twice to On Retries.',
	custom: ' If that is the idempotency key, enter a new one.',
};

type DeadlineFailure = Extract<Failure, { kind: 'deadline' }>;

const inMinutes = (ms: number) => Math.round(ms / 6_000) / 10;

function ofNoResponse({ reason, attempts, unsent }: NoResponseFailure): Text {
	const [happened, todo] = wordsOfNoResponse({ noResponse: reason, unsent });
	return [happened, `${attempts > 1 ? `Tried ${attempts} times. ` : ''}${todo}`];
}

/** What to do about a job that has failed. */
function cureOf({ lacks }: JobFailure, context: ErrorContext): string {
	if (lacks === 'budget') return 'Give the next run a larger Budget in Credits.';
	const again = context.creates ? '' : ' and create it again';
	if (lacks === undefined) return `Change the prompt or the inputs${again}.`;
	return `Top up the workspace${context.creates ? `, then ${goOn(context)}` : again}.`;
}

/** How a job that may be over under this name is made anew. */
const ANEW: Record<IdempotencyMode, string> = {
	execution: 'a new execution makes a new one',
	none: 'a new execution makes a new one',
	content: 'another prompt makes a new one',
	custom: 'another Own Key makes a new one',
};

/** A wait that ended before its job: with the status, unless that is known to be one of a job that runs. */
function ofDeadline(
	failure: DeadlineFailure,
	{ job = { id: '' } }: Failed,
	context: ErrorContext,
): Text {
	const { creates, idempotency, isTool } = context;
	const waited = `Not finished after ${inMinutes(failure.waitedMs)} minutes`;
	const status = textOf(job.status);
	if (status === undefined || holdsSlot(job))
		return [
			waited,
			creates
				? 'Raise Wait Timeout to wait longer.'
				: 'The job goes on at the service: raise Wait Timeout, or fetch it later by its ID.',
		];
	const known = `its status has been "${plainText(status)}" for ${inMinutes(failure.inStatusMs ?? 0)} minutes`;
	const reason = statedReason(job);
	const happened = `${waited}: ${known}${reason === undefined ? '' : `: ${reason}`}`;
	if (job.object === 'agent_run')
		return [
			happened,
			'If it has ended so, enter that status in Statuses That End the Wait or in Statuses That Mean Failure. If it goes on, raise Wait Timeout.',
		];
	const over = isTool
		? 'a call with other arguments makes a new one'
		: ANEW[idempotency ?? 'execution'];
	const anew = creates ? over : 'create it again';
	return [
		happened,
		`The service does not document this status. If the job has ended so, ${anew}. If it goes on, raise Wait Timeout.`,
	];
}

/** What happened and what to do about it. What the service says counts, with the labels of the editor. */
export function wordsOf(failed: Failed, context: ErrorContext): Text {
	const { failure } = failed;
	const { creates } = context;
	switch (failure.kind) {
		case 'input':
			return [`${failure.field} ${failure.problem}`, failure.hint ? `${failure.hint}.` : ''];
		case 'scope':
			return [
				`The credential is limited to scopes without ${failure.scope}`,
				`If the key has the scope ${failure.scope}, add it to Scopes of the Key in the credential, or empty that list.`,
			];
		case 'status': {
			const { scope, path } = failedEndpoint(failed, context);
			const [happened, todo] = meaningOf(failure.status, failure.serviceError).words({
				scope,
				hasId: path.includes('{id}'),
				readsOwnJob: readsOwnJob(failed, context),
				progress: progress(context),
				goOn: goOn(context),
			});
			const said = withEditorLabels(failure.serviceError.message ?? '', context.labels ?? {});
			const isNew = said !== '' && said.toLowerCase() !== happened.toLowerCase();
			const mayBeKey = creates === true && refusalOf(failed) === 'invalid';
			const { idempotency = 'none' } = context;
			const ofKey = mayBeKey ? (REFUSED_KEY[idempotency] ?? '') : '';
			return [isNew ? `${happened}: ${said}` : happened, `${todo}${ofKey}`];
		}
		case 'noResponse':
			return ofNoResponse(failure);
		case 'badResponse':
			return [
				'The answer of the service cannot be used',
				`The service answered with status ${failure.status}, but ${failure.problem}. Check that the base URL of the credential is the address of the API and ends in /v1.`,
			];
		case 'cancelled':
			return ['The execution was cancelled', 'Nothing further was sent.'];
		case 'deadline':
			return ofDeadline(failure, failed, context);
		case 'jobFailed':
			return [`The job failed: ${failure.reason}`, cureOf(failure, context)];
		case 'notApproved': {
			const estimate = failed.job?.estimated_credits;
			const atLeast = typeof estimate === 'number' ? ` of at least ${estimate}` : '';
			const reason = withEditorLabels(failure.reason, context.labels ?? {});
			return [
				`The plan could not be approved automatically: ${reason}`,
				`The plan waits: approve it by its ID with Agent Run: Approve and Budget in Credits${atLeast}.`,
			];
		}
		case 'download':
			return [
				`Output ${failure.outputId} could not be downloaded: ${failure.problem}`,
				creates ? '' : 'Run this again to download it; that costs nothing.',
			];
		case 'upload':
			return [`The binary field "${failure.field}" could not be uploaded: ${failure.problem}`, ''];
		case 'fault':
			return [
				`A fault of this node: ${failure.problem}`,
				'This is no mistake of yours: please report it with what the node was to do.',
			];
		case 'possibleDuplicate': {
			const why = {
				changed: 'the request has been changed since',
				expired: 'its idempotency key is no longer valid after 24 hours',
			};
			// To decide that is up to a person, also where a model reads it.
			const next = goOn({ ...context, isTool: false });
			return [
				'Not created again, because an earlier try may have been carried out',
				`The service did not answer that try, and ${why[failure.because]}. Look for its job at the service (Get Many lists the newest): if there is none, ${next}, which then creates a new one.`,
			];
		}
		case 'creditCap': {
			const { maxCredits, reserved, price } = failure;
			if (price === null)
				return [
					`Max Credits per Execution (${maxCredits}) cannot be kept: the service does not state what a job costs`,
					`One was created, which may have reserved any number of credits. ${progress(context)}Remove the limit, then ${goOn(context)}${canGoOn(context) ? ': it goes on with what it has' : ''}.`,
				];
			const expected =
				price === undefined
					? ''
					: `, and this item is expected to cost ${price}, at the prices of last time`;
			return [
				`Max Credits per Execution (${maxCredits}) would be exceeded`,
				`This execution has reserved ${reserved} credits${expected}. ${progress(context)}Raise the limit, then ${goOn(context)}${canGoOn(context) ? ': it goes on with what it has' : ''}.`,
			];
		}
		case 'dayCap': {
			const { maxCredits, spent, needed, problem } = failure;
			if (problem !== undefined)
				return [
					`Max Credits per Day (${maxCredits}) cannot be kept: ${problem}`,
					`${progress(context)}Remove the limit, or let the key read what was spent; then ${goOn(context)}.`,
				];
			const need =
				needed === undefined
					? 'what this run needs is not known'
					: `this run needs about ${roundedUp(needed)}`;
			return [
				`Today ${roundedUp(spent)} of ${maxCredits} credits are spent in this workspace; ${need}`,
				`${progress(context)}Raise Max Credits per Day or wait until tomorrow, then ${goOn(context)}${canGoOn(context) ? ': it goes on with what it has' : ''}.`,
			];
		}
		case 'noSlot':
			return [
				`No job slot was free for ${inMinutes(failure.waitedMs)} minutes`,
				failure.others > 0
					? `${failure.others} jobs of other clients of the workspace are running. Run this later, or lower Concurrent Jobs in the credentials of the others.`
					: 'The service kept refusing, or jobs that do not end use them. Run this later.',
			];
		case 'skipped':
			return [
				`Not sent: ${failure.cause}`,
				context.isTool
					? `Once that is settled, ${goOn(context)}.`
					: 'Run this again once that is settled.',
			];
	}
}
