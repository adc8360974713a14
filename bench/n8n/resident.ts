/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';

/** How often the memory is looked at, in milliseconds. */
const EVERY_MS = 20;

/** The n8n that a guard has started: the guard has no other child. */
export function childOf(guard: number): number {
	return Number(readFileSync(`/proc/${guard}/task/${guard}/children`, 'utf8'));
}

export interface Sample {
	/** Milliseconds since the epoch. */
	at: number;
	/** Resident bytes. */
	bytes: number;
}

/** Samples the resident memory of a process until it is stopped. */
export function watchMemory(pid: number): () => Sample[] {
	const samples: Sample[] = [];
	const measure = () => {
		const [, kilobytes] =
			/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
		samples.push({ at: Date.now(), bytes: Number(kilobytes) * 1024 });
	};
	measure();
	const timer = setInterval(measure, EVERY_MS);
	return () => {
		clearInterval(timer);
		return samples;
	};
}

/**
 * By how much the memory grew: its most within a time over what it was when the looks began. Bytes.
 */
export function growth(samples: Sample[], from: number, to: number): number {
	const within = samples.filter(({ at }) => at >= from && at <= to).map(({ bytes }) => bytes);
	return Math.max(0, Math.max(0, ...within) - (samples[0]?.bytes ?? 0));
}
