import type { Endpoint } from '../../contract';
import { findFieldLabel, withEditorLabels, type Labels } from './fieldLabels';
import type { StatusFailure } from '../base/result';
import type { Resource } from '../base/types';
import { creditsText } from './credits';

/**
 * What happened, in one line, and what to do about it. Neither mentions credits: `spending.ts`
 * does.
 */
export type Text = [happened: string, todo: string];

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
}

const correct = ({ serviceError }: StatusFailure, { labels }: TextContext): string =>
	`Correct ${findFieldLabel(serviceError.details, labels) ?? 'what the service names'}.`;

const scopeHint = ({ scope }: Endpoint) =>
	scope
		? `The key needs the scope ${scope}.`
		: 'The key needs the read scope of the resource that the job is.';

function unknownId({ endpoint, readsOwnJob }: TextContext): string {
	if (readsOwnJob) return 'Check that the credential belongs to the workspace that made the job.';
	return endpoint.path.includes('{id}')
		? 'No resource with this ID exists in the workspace of the key. Check the ID, and that the credential belongs to the same workspace.'
		: 'Check the base URL of the credential.';
}

const BY_STATUS: Record<number, (failure: StatusFailure, context: TextContext) => Text> = {
	400: (failure, context) => [
		'The service refused the request as invalid',
		correct(failure, context),
	],
	401: () => [
		'The API key is invalid or missing',
		'Open the credential, enter a valid key of the workspace and test it.',
	],
	402: (_, context) => creditsText(context),
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

/** What the service says counts, with the labels of the editor. */
export function ofStatus(failure: StatusFailure, context: TextContext): Text {
	const { status, serviceError } = failure;
	const known = Object.hasOwn(BY_STATUS, status)
		? BY_STATUS[status]?.(failure, context)
		: undefined;
	const [happened, todo] = known ?? [
		`The service answered with status ${status}`,
		'Try again later. If it stays, check the base URL of the credential.',
	];
	const words = serviceError.message && withEditorLabels(serviceError.message, context.labels);
	const isNew = words && words.toLowerCase() !== happened.toLowerCase();
	return [isNew ? `${happened}: ${words}` : happened, todo];
}
