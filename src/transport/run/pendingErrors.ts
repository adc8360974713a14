import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { jobsSentence, type OtherJob } from './otherJobs';
import { asText, type Resource } from '../base/types';

/** The error that an item throws, completed when the run has ended. */
export interface PendingError {
	error: NodeApiError;
	/** Its description, with the counts at the time of the call. */
	describe: () => string;
	/** The item that throws it. */
	thrownBy: number;
}

/**
 * The error of a failed run, kept until the last item has ended: only then are its counts right and all job ids known. If
 * several items throw, n8n reports the error of the first of them, so that only this one is kept.
 */
export class PendingErrors {
	private first: PendingError | undefined;

	add(pending: PendingError): void {
		if (!this.isReported(pending.thrownBy)) return;
		this.first = pending;
	}

	/** Whether n8n would report the error of this item, as far as the items have failed yet. */
	isReported(item: number): boolean {
		return item < (this.first?.thrownBy ?? Infinity);
	}

	/** @param jobs by the number of their item */
	complete(jobs: ReadonlyMap<number, Resource>): void {
		if (!this.first) return;
		this.first.error.description = this.first.describe();
		appendOtherJobs(this.first, jobs);
	}
}

function appendOtherJobs(
	{ error, thrownBy }: PendingError,
	jobs: ReadonlyMap<number, Resource>,
): void {
	const others = otherJobs(thrownBy, jobs);
	if (others.length === 0) return;
	error.description = `${error.description ?? ''} ${jobsSentence(others)}`.trim();
	const data = error.context.data as IDataObject;
	error.context.data = { ...data, otherJobs: others };
}

/** The jobs of the other items: the error already names that of the failed one. */
function otherJobs(own: number, jobs: ReadonlyMap<number, Resource>): OtherJob[] {
	const others = [...jobs].filter(([item]) => item !== own).sort(([a], [b]) => a - b);
	return others.map(([item, { id, status }]) => ({
		id,
		item,
		status: asText(status) || 'no status',
	}));
}
