import type { IDataObject } from 'n8n-workflow';

/** A job of another item of the run, as an error shows it. */
export interface OtherJob extends IDataObject {
	id: string;
	item: number;
	status: string;
}

/** How many jobs an error names; *Error details* lists all of them. */
const MAX_NAMED = 10;

/** Names the jobs of the other items, so that nothing that was paid for is lost. */
export function jobsSentence(jobs: OtherJob[]): string {
	const named = jobs
		.slice(0, MAX_NAMED)
		.map(({ id, item, status }) => `${id} (item ${item}, ${status})`);
	const rest = jobs.length - named.length;
	const more = rest > 0 ? ` and ${rest} more, under Error details` : '';
	const continues = jobs.some(({ status }) => status !== 'failed')
		? ' Retrying this execution continues with those that have not failed.'
		: '';
	return `Other jobs of this run: ${named.join(', ')}${more}.${continues}`;
}
