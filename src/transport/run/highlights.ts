import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { executionCredits } from './executionCredits';

/** What n8n keeps of one value, in characters. */
const MAX_CHARACTERS = 512;

/** Older versions of n8n do not have it, and its type is not public. */
interface CustomData {
	get(name: string): string | undefined;
	set(name: string, value: string): void;
}

const CREDITS = 'mediagenCredits';
const JOBS = 'mediagenJobs';

/** Whole ids only, so that the last one can be searched for as well. */
function joined(known: string, ids: string[]): string {
	let text = known;
	const isKnown = new Set(known.split(','));
	for (const id of ids) {
		if (isKnown.has(id)) continue;
		const longer = text === '' ? id : `${text},${id}`;
		if (longer.length > MAX_CHARACTERS) break;
		text = longer;
	}
	return text;
}

/**
 * Shows in the highlighted data of the execution what it has reserved and which jobs it has, so
 * that an id found at the service leads to its execution. Once for each run of a node: n8n writes a
 * line into its log for each long value.
 */
export function highlightJobs(context: IExecuteSingleFunctions, ids: string[]): void {
	if (ids.length === 0) return;
	try {
		const { customData } = context as unknown as { customData?: CustomData };
		if (!customData) return;
		const { reserved } = executionCredits(context.getContext('flow'));
		customData.set(CREDITS, String(reserved));
		customData.set(JOBS, joined(customData.get(JOBS) ?? '', ids));
	} catch {
		// It is only shown to people; no job fails because of it.
	}
}
