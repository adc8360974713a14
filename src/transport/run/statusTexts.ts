import type { Endpoint } from '../../contract';
import { findFieldLabel, withEditorLabels, type Labels } from './fieldLabels';
import type { StatusFailure } from '../base/result';
import type { Resource } from '../base/types';
import { progress } from './credits';
import { meaningOf, type Text } from '../http/statuses';

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

/** What the service says counts, with the labels of the editor. */
export function ofStatus(failure: StatusFailure, context: TextContext): Text {
	const { status, serviceError } = failure;
	const { endpoint, labels, readsOwnJob } = context;
	const [happened, todo] = meaningOf(status).words({
		field: findFieldLabel(serviceError.details, labels),
		scope: endpoint.scope,
		hasId: endpoint.path.includes('{id}'),
		readsOwnJob,
		progress: progress(context),
	});
	const words = serviceError.message && withEditorLabels(serviceError.message, labels);
	const isNew = words && words.toLowerCase() !== happened.toLowerCase();
	return [isNew ? `${happened}: ${words}` : happened, todo];
}
