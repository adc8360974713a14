import { elementAt } from '../elementAt';

/** What usage is grouped by. Open point 14: only `mode` is named by the specification. */
export const USAGE_MODES = [
	'image',
	'video',
	'audio',
	'speech',
	'agent',
	'voice',
	'persona',
] as const;
export type UsageMode = (typeof USAGE_MODES)[number];

export interface UsageSum {
	jobs: number;
	outputs: number;
	credits: number;
}

/** One job that ended. */
export interface UsageLine {
	id: string;
	workspace: string;
	mode: UsageMode;
	/** Wall-clock milliseconds. */
	at: number;
	jobs: number;
	outputs: number;
	credits: number;
}

interface Step extends UsageSum {
	at: number;
}

const NOTHING: UsageSum = { jobs: 0, outputs: 0, credits: 0 };

/**
 * What each workspace used, by mode. Each mode keeps running totals, so that any `since` is two
 * look-ups and no scan.
 */
export class UsageLog {
	private readonly totals = new Map<string, Step[]>();
	private count = 0;

	constructor(
		private readonly now: () => number,
		private readonly written: (line: UsageLine) => void = () => {},
	) {}

	restore(lines: Iterable<UsageLine>): void {
		for (const line of [...lines].sort((a, b) => a.at - b.at)) this.apply(line);
	}

	/** `jobs` is 0 for what a job uses later on. */
	add(workspace: string, mode: UsageMode, credits: number, outputs: number, jobs = 1): void {
		const id = String(this.count + 1).padStart(12, '0');
		const line = { id, workspace, mode, at: this.now(), jobs, outputs, credits };
		this.apply(line);
		this.written(line);
	}

	/** The sum of what ended at or after an instant (milliseconds). */
	sum(workspace: string, mode: UsageMode, since = -Infinity): UsageSum {
		const steps = this.totals.get(`${workspace} ${mode}`) ?? [];
		const last = steps.at(-1) ?? NOTHING;
		const before = steps[firstAtOrAfter(steps, since) - 1] ?? NOTHING;
		return {
			jobs: last.jobs - before.jobs,
			outputs: last.outputs - before.outputs,
			credits: last.credits - before.credits,
		};
	}

	private apply({ workspace, mode, at, jobs, outputs, credits }: UsageLine): void {
		this.count += 1;
		const name = `${workspace} ${mode}`;
		const steps = this.totals.get(name) ?? [];
		const last = steps.at(-1) ?? NOTHING;
		steps.push({
			at,
			jobs: last.jobs + jobs,
			outputs: last.outputs + outputs,
			credits: last.credits + credits,
		});
		this.totals.set(name, steps);
	}
}

function firstAtOrAfter(steps: Step[], instant: number): number {
	let low = 0;
	let high = steps.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (elementAt(steps, middle).at < instant) low = middle + 1;
		else high = middle;
	}
	return low;
}
