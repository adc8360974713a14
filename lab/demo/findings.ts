import type { Execution } from '../n8n/rest';

/** More than these say nothing more to a person. */
const MOST_ITEMS = 10;

/**
 * What an execution that made no file has found: the items of the node that it ended with, a text of theirs where they have
 * one.
 */
export function findingsOf({ data }: Execution): string[] {
	const { lastNodeExecuted = '', runData } = data.resultData;
	const run = runData[lastNodeExecuted]?.at(-1);
	const items = (run?.data?.main ?? []).flatMap((output) => output ?? []);
	if (items.length === 0) return [`"${lastNodeExecuted}" found nothing.`];
	const lines = items
		.slice(0, MOST_ITEMS)
		.flatMap(({ json }) =>
			typeof json.text === 'string' ? json.text.split('\n') : [JSON.stringify(json)],
		);
	const left = items.length - MOST_ITEMS;
	return [`${lastNodeExecuted}:`, ...lines, ...(left > 0 ? [`… and ${left} more`] : [])].map(
		(line, index) => (index === 0 || !line ? line : `  ${line}`),
	);
}
