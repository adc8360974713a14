import type { Endpoint } from '../../contract';
import type { Failure, NoResponseFailure, StatusFailure } from '../base/result';
import type { Resource, UnsentReason } from '../base/types';
import { meaningOf, type Text } from '../http/statuses';
import { findFieldLabel, withEditorLabels, type Labels } from './fieldLabels';

/** What the words for a failure depend on, besides the failure. */
export interface TextContext {
	/** The operation whose request failed; not always that of the item. */
	endpoint: Endpoint;
	/** Whether the request only read the job that the item has created. */
	readsOwnJob: boolean;
	/** Whether the operation creates something. */
	creates: boolean;
	job?: Resource;
	labels: Labels;
	/** How many items the run has. */
	items: number;
	/**
	 * How many of them have a job; `undefined` if the run goes on and the count would soon be wrong.
	 */
	submitted?: number;
	notSubmitted: number;
	/** How to go on with what is paid for, where the error is read. */
	goOn: string;
}

/** What the service says counts, with the labels of the editor. */
function ofStatus(failure: StatusFailure, context: TextContext): Text {
	const { status, serviceError } = failure;
	const { endpoint, labels, readsOwnJob } = context;
	const [happened, todo] = meaningOf(status).words({
		field: findFieldLabel(serviceError.details, labels),
		scope: endpoint.scope,
		hasId: endpoint.path.includes('{id}'),
		readsOwnJob,
		progress: progress(context),
		goOn: context.goOn,
	});
	const words = serviceError.message && withEditorLabels(serviceError.message, labels);
	const isNew = words && words.toLowerCase() !== happened.toLowerCase();
	return [isNew ? `${happened}: ${words}` : happened, todo];
}

const wasOrWere = (count: number) => (count === 1 ? 'was' : 'were');

/** How far the run has come; empty where that is not known or goes without saying. */
const progress = ({ items, submitted, notSubmitted }: TextContext): string =>
	items > 1 && submitted !== undefined
		? `${submitted} ${submitted === 1 ? 'item' : 'items'} of this run ${wasOrWere(submitted)} submitted, ${notSubmitted} ${wasOrWere(notSubmitted)} not. `
		: '';

function ofCreditCap(
	{ maxCredits, reserved, price }: Extract<Failure, { kind: 'creditCap' }>,
	context: TextContext,
): Text {
	const expected = price === undefined ? '' : `, and this item is expected to cost ${price}`;
	return [
		`Max Credits per Execution (${maxCredits}) would be exceeded`,
		`This execution has reserved ${reserved} credits${expected}. ${progress(context)}Raise the limit, then ${context.goOn}: it goes on with what it has.`,
	];
}

/** Who uses the slots decides what can be done. */
const ofNoSlot = ({ waitedMs, others }: Extract<Failure, { kind: 'noSlot' }>): Text => [
	`No job slot was free for ${minutes(waitedMs)} minutes`,
	others > 0
		? `${others} jobs of other clients of the workspace are running. Run this later, or lower Concurrent Jobs in the credentials of the others.`
		: 'Jobs of this n8n that do not end use them. Run this later.',
];

const minutes = (ms: number) => Math.round(ms / 6_000) / 10;

type TextFor<K extends Failure['kind']> = (
	failure: Extract<Failure, { kind: K }>,
	context: TextContext,
) => Text;

const UNSENT: Record<UnsentReason, (reason: string) => Text> = {
	connection: (reason) => [
		`The service cannot be reached (${reason})`,
		'Check the base URL of the credential and the network.',
	],
	certificate: (reason) => [
		`The certificate of the service is not accepted (${reason})`,
		'Check the base URL of the credential. A certificate of a private authority must be made known to n8n.',
	],
	local: (reason) => [`n8n could not send the request: ${reason}`, 'Check the credential.'],
};

function ofNoResponse({ reason, attempts, unsent }: NoResponseFailure): Text {
	const [happened, todo] = unsent
		? UNSENT[unsent](reason)
		: [
				`The service did not respond (${reason})`,
				'Check the base URL of the credential and the network.',
			];
	return [happened, `${attempts > 1 ? `Tried ${attempts} times. ` : ''}${todo}`];
}

const TEXTS: { [K in Failure['kind']]: TextFor<K> } = {
	input: ({ field, problem, hint }) => [`${field} ${problem}`, hint ? `${hint}.` : ''],
	scope: ({ scope }) => [
		`The credential is limited to scopes without ${scope}`,
		`If the key has the scope ${scope}, add it to Limit to Scopes in the credential, or empty that list.`,
	],
	status: ofStatus,
	noResponse: ofNoResponse,
	badResponse: ({ status, problem }) => [
		'The answer of the service cannot be used',
		`The service answered with status ${status}, but ${problem}. Check that the base URL of the credential is the address of the API and ends in /v1.`,
	],
	cancelled: () => ['The execution was cancelled', 'Nothing further was sent.'],
	deadline: ({ waitedMs }, { creates }) => [
		`Not finished after ${minutes(waitedMs)} minutes`,
		creates
			? 'Raise Wait Timeout to wait longer.'
			: 'The job goes on at the service: raise Wait Timeout, or fetch it later by its ID.',
	],
	jobFailed: ({ reason }, { creates }) => [
		`The job failed: ${reason}`,
		`Change what the reason names${creates ? '' : ' and create it again'}.`,
	],
	download: ({ outputId, problem }, { creates }) => [
		`Output ${outputId} could not be downloaded: ${problem}`,
		creates ? '' : 'Run this again to download it; that costs nothing.',
	],
	upload: ({ field, problem }) => [
		`The binary field "${field}" could not be uploaded: ${problem}`,
		'',
	],
	possibleDuplicate: ({ candidates, because }) => [
		'Not created again, because an earlier try may have been carried out',
		[
			'The service did not respond to that try, and',
			because === 'changed'
				? 'the request has been changed since.'
				: 'its idempotency key is no longer valid after 24 hours.',
			candidates.length > 0
				? `These jobs may be the one: ${candidates.join(', ')}. Fetch the right one by its ID;`
				: 'Look for it at the service;',
			`if there is none, ${because === 'changed' ? 'retry this execution once more' : 'run a new execution'}.`,
		].join(' '),
	],
	creditCap: ofCreditCap,
	noSlot: ofNoSlot,
	skipped: ({ cause }) => [`Not sent: ${cause}`, 'Run this again once that is settled.'],
};

/** The words for a failure of any kind. */
export function textOf(failure: Failure, context: TextContext): Text {
	const write = TEXTS[failure.kind] as TextFor<Failure['kind']>;
	return write(failure as never, context);
}
