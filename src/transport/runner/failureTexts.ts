import type { Endpoint } from '../../contract';
import { fieldNamed, inEditorWords, type Labels } from './fieldLabels';
import type { Failure, Lost } from '../base/result';
import type { Resource, Unsent } from '../base/types';

/** What happened, in one line, and what to do about it. Neither says a word about credits: that is `spending.ts`. */
export type Text = [happened: string, todo: string];

export interface TextContext {
	/** The operation whose request failed; not always that of the item. */
	endpoint: Endpoint;
	/** Whether the request only read the job that the item has made. */
	readsOwnJob: boolean;
	/** Whether the item is to create something. */
	creates: boolean;
	job?: Resource;
	labels: Labels;
	/** How many items the run has, and how many of them have a job. */
	items: number;
	/** `undefined` where the run goes on, so that the count would not stay true. */
	submitted?: number;
	notSubmitted: number;
}

type TextFor<K extends Failure['kind']> = (
	failure: Extract<Failure, { kind: K }>,
	context: TextContext,
) => Text;

type Status = Extract<Failure, { kind: 'status' }>;

const correct = ({ said }: Status, { labels }: TextContext): string =>
	`Correct ${fieldNamed(said.details, labels) ?? 'what the service names'}.`;

const scopeHint = ({ scope }: Endpoint) =>
	scope
		? `The key needs the scope ${scope}.`
		: 'The key needs the read scope of the resource that the job is.';

const items = (count: number) => `${count} ${count === 1 ? 'item' : 'items'}`;

function topUp({ items: total, submitted, notSubmitted }: TextContext): string {
	const counted =
		total > 1 && submitted !== undefined
			? `${items(submitted)} of this run ${submitted === 1 ? 'was' : 'were'} submitted, ${notSubmitted} ${notSubmitted === 1 ? 'was' : 'were'} not. `
			: '';
	return `${counted}Top up the workspace, then retry this execution.`;
}

function unknownId({ endpoint, readsOwnJob }: TextContext): string {
	if (readsOwnJob) return 'Check that the credential belongs to the workspace that made the job.';
	return endpoint.path.includes('{id}')
		? 'No resource with this ID exists in the workspace of the key. Check the ID, and that the credential belongs to the same workspace.'
		: 'Check the base URL of the credential.';
}

const BY_STATUS: Record<number, (failure: Status, context: TextContext) => Text> = {
	400: (failure, context) => [
		'The service refused the request as invalid',
		correct(failure, context),
	],
	401: () => [
		'The API key is invalid or missing',
		'Open the credential, enter a valid key of the workspace and test it.',
	],
	402: (_, context) => ['Not enough credits', topUp(context)],
	403: (_, { endpoint, readsOwnJob }) => [
		readsOwnJob ? 'The key is not allowed to read the job' : 'The key is not allowed to do this',
		`${scopeHint(endpoint)} If it has it, the workspace may lack API access: that requires an active subscription or a successful top-up.`,
	],
	404: (_, context) => [
		context.readsOwnJob ? 'The service does not know the job' : 'Not found',
		unknownId(context),
	],
	429: () => [
		'Rate or concurrency limit exceeded',
		'The service still refused after waiting and trying again. Others may be using the workspace: lower Requests per Minute or Concurrent Jobs in the credential to leave them room, or run this later.',
	],
};

function ofStatus(failure: Status, context: TextContext): Text {
	const { status, said } = failure;
	const known = Object.hasOwn(BY_STATUS, status)
		? BY_STATUS[status]?.(failure, context)
		: undefined;
	const [happened, todo] = known ?? [
		`The service answered with status ${status}`,
		'Try again later. If it stays, check the base URL of the credential.',
	];
	const words = said.message && inEditorWords(said.message, context.labels);
	const isNew = words && words.toLowerCase() !== happened.toLowerCase();
	return [isNew ? `${happened}: ${words}` : happened, todo];
}

const UNSENT: Record<Unsent, (reason: string) => Text> = {
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

function ofNoResponse({ reason, attempts, unsent }: Lost): Text {
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
		`Not finished after ${Math.round(waitedMs / 6_000) / 10} minutes`,
		creates
			? 'Raise Wait Timeout to wait longer.'
			: 'The job goes on at the service: raise Wait Timeout, or fetch it later by its ID.',
	],
	jobFailed: ({ reason }, { creates }) => [
		`The job failed: ${reason}`,
		`Change what the reason names${creates ? '' : ' and create it anew'}.`,
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
	skipped: ({ cause }) => [`Not sent: ${cause}`, 'Run this again once that is settled.'],
};

export function textOf(failure: Failure, context: TextContext): Text {
	const write = TEXTS[failure.kind] as TextFor<Failure['kind']>;
	return write(failure as never, context);
}
