/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';

/** What the probe in n8n writes: a CPU profile, and when the event loop stood still. Microseconds on the monotonic clock. */
interface Recording extends Profiler.Profile {
	gaps: Array<{ from: number; to: number }>;
	/** How far the wall clock is ahead of the monotonic one. */
	wallAhead: number;
}

/** Whose code ran. What Node and V8 do for somebody counts as theirs. */
export type Owner = 'ours' | 'n8n' | 'collection' | 'idle';

/** Time between two samples of the profile, in milliseconds since the epoch. */
interface Sample {
	at: number;
	ms: number;
	owner: Owner;
	/** Whether our code called it. */
	isCalledByUs: boolean;
}

const OURS = 'node_modules/n8n-nodes-mediagen/';

const isOurs = ({ callFrame }: Profiler.ProfileNode) => callFrame.url.includes(OURS);

const isPackage = ({ callFrame }: Profiler.ProfileNode) => callFrame.url.includes('node_modules/');

/** Samples are 0.2 ms apart while the thread runs, whatever it does; further apart, it waited for a core. */
const WAITED_MS = 5;

const ALONE: Record<string, Owner> = { '(idle)': 'idle', '(garbage collector)': 'collection' };

/** For each node of the profile, whose it is. */
function owners({ nodes }: Recording): Map<number, Pick<Sample, 'owner' | 'isCalledByUs'>> {
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const found = new Map<number, Pick<Sample, 'owner' | 'isCalledByUs'>>();
	const walk = (id: number, owner: Owner, isCalledByUs: boolean) => {
		const node = byId.get(id);
		if (!node) return;
		const alone = ALONE[node.callFrame.functionName];
		const own = alone ?? (isOurs(node) ? 'ours' : isPackage(node) ? 'n8n' : owner);
		const called = isCalledByUs || isOurs(node);
		found.set(id, { owner: own, isCalledByUs: called });
		for (const child of node.children ?? []) walk(child, own, called);
	};
	const [root] = nodes;
	if (root) walk(root.id, 'n8n', false);
	return found;
}

export interface Span {
	from: number;
	to: number;
}

/** What n8n's one thread did, as the probe recorded it. Times are in milliseconds since the epoch. */
export class Samples {
	private readonly samples: Sample[] = [];

	private readonly gaps: Span[];

	constructor(file: string) {
		const recording = JSON.parse(readFileSync(file, 'utf8')) as Recording;
		const wall = (us: number) => (us + recording.wallAhead) / 1_000;
		const known = owners(recording);
		let at = recording.startTime;
		for (const [index, id] of (recording.samples ?? []).entries()) {
			const us = recording.timeDeltas?.[index] ?? 0;
			at += us;
			const found = known.get(id);
			if (found) this.samples.push({ at: wall(at), ms: us / 1_000, ...found });
		}
		this.gaps = recording.gaps.map(({ from, to }) => ({ from: wall(from), to: wall(to) }));
	}

	private within({ from, to }: Span): Sample[] {
		return this.samples.filter(({ at }) => at >= from && at < to);
	}

	/** How long each has run within a time, in milliseconds. */
	shares(span: Span): Record<Owner, number> {
		const sums: Record<Owner, number> = { ours: 0, n8n: 0, collection: 0, idle: 0 };
		for (const { owner, ms } of this.within(span)) sums[owner] += ms;
		return sums;
	}

	/** The longest time in which the event loop stood still, and how much of it was ours, in milliseconds. */
	longestGap(span: Span): { ms: number; ours: number } {
		const touching = this.gaps.filter(({ from, to }) => from < span.to && to > span.from);
		let longest: Span = { from: 0, to: 0 };
		for (const gap of touching) if (gap.to - gap.from > longest.to - longest.from) longest = gap;
		return { ms: longest.to - longest.from, ours: this.shares(longest).ours };
	}

	/**
	 * The longest stretch in which nothing but our code ran, with what it called of others, in milliseconds: without the garbage
	 * collector, which comes when it wants, and with it where it came in the middle of a step. Times in which the machine ran
	 * somebody else are left out.
	 */
	longestStep(span: Span): { ms: number; withCollection: number } {
		const longest = { ms: 0, withCollection: 0 };
		let step = { ms: 0, withCollection: 0 };
		for (const { isCalledByUs, owner, ms } of this.within(span)) {
			if (owner === 'collection') {
				if (step.ms > 0) step.withCollection += ms;
			} else if (isCalledByUs) {
				const ran = ms > WAITED_MS ? 0 : ms;
				step.ms += ran;
				step.withCollection += ran;
			} else step = { ms: 0, withCollection: 0 };
			longest.ms = Math.max(longest.ms, step.ms);
			longest.withCollection = Math.max(longest.withCollection, step.withCollection);
		}
		return longest;
	}

	/** The most of our own code within one turn of the event loop that took long, in milliseconds. */
	mostOfOurs(span: Span): number {
		const touching = this.gaps.filter(({ from, to }) => from < span.to && to > span.from);
		return Math.max(0, ...touching.map((gap) => this.shares(gap).ours));
	}
}
