import type { Clock } from '../clock';
import type { Persistence } from '../store';

/** What usage is grouped by. Open point 14: only `mode` is named by the specification. */
const MODES = ['image', 'video', 'audio', 'speech', 'agent', 'voice', 'persona'] as const;
export type UsageMode = (typeof MODES)[number];

/** What a job that ended has used. */
interface UsageLine {
	id: string;
	workspace: string;
	mode: UsageMode;
	/** Wall-clock milliseconds. */
	at: number;
	/** 0 for what a job uses later on. */
	jobs: number;
	outputs: number;
	credits: number;
}

/** What each workspace used, by mode. */
export class UsageLog {
	private readonly lines: UsageLine[];

	constructor(
		private readonly clock: Clock,
		private readonly persistence: Persistence,
	) {
		this.lines = persistence.values('usage');
	}

	add(workspace: string, mode: UsageMode, credits: number, outputs: number, jobs = 1): void {
		const id = String(this.lines.length + 1).padStart(12, '0');
		const line = { id, workspace, mode, at: this.clock.now(), jobs, outputs, credits };
		this.lines.push(line);
		this.persistence.put('usage', id, line);
	}

	/** The sums of what ended at or after an instant (milliseconds), of the modes that were used. */
	sums(workspace: string, since = -Infinity) {
		return MODES.flatMap((mode) => {
			const sum = { mode, jobs: 0, outputs: 0, credits: 0 };
			for (const line of this.lines) {
				if (line.workspace !== workspace || line.mode !== mode || line.at < since) continue;
				sum.jobs += line.jobs;
				sum.outputs += line.outputs;
				sum.credits += line.credits;
			}
			return sum.jobs + sum.credits > 0 ? [sum] : [];
		});
	}
}
