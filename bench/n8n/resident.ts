/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { readdirSync, readFileSync } from 'node:fs';

/** How often the memory is looked at, in milliseconds. */
const EVERY_MS = 20;

const readOr = (file: string) => {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		// The process has ended since its folder was listed.
		return '';
	}
};

/** The process whose environment says so: n8n itself, not the guard that started it. */
export function processOf(userFolder: string): number {
	for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
		const isOurs = readOr(`/proc/${pid}/environ`).includes(`N8N_USER_FOLDER=${userFolder}\0`);
		const [, , entry = ''] = readOr(`/proc/${pid}/cmdline`).split('\0');
		const [, script = ''] = readOr(`/proc/${pid}/cmdline`).split('\0');
		if (isOurs && script.endsWith('n8n') && entry === 'start') return Number(pid);
	}
	throw new Error('n8n is not among the processes');
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
		const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readOr(`/proc/${pid}/status`)) ?? [];
		if (kilobytes) samples.push({ at: Date.now(), bytes: Number(kilobytes) * 1024 });
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
