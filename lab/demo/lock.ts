/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lockSync } from 'proper-lockfile';
import { stateRoot } from '../process/paths';

/** Addresses of a running start, by what they show. */
export type Links = Record<string, string>;

/** A start that is running in another terminal. */
export interface Running {
	pid: number;
	/** Missing while it is still starting. */
	links?: Links;
}

/** The right to use the folder's n8n and sandbox. */
export interface Lock {
	/** Lets another start find this one's addresses. */
	publish(links: Links): void;
	release(): void;
}

/**
 * Keeps two starts from using one n8n database. What a killed start has left is taken over after ten seconds
 * without a sign of life.
 *
 * @returns the lock, or the start that holds it
 */
export function lock(folder = stateRoot): Lock | Running {
	mkdirSync(folder, { recursive: true });
	const record = path.join(folder, 'start.json');
	const lockfilePath = path.join(folder, 'start.lock');
	// After a suspended laptop wakes up the sign of life is late: no reason to die.
	const onCompromised = () => undefined;
	let release: () => void;
	try {
		release = lockSync(folder, { lockfilePath, stale: 10_000, update: 2_000, onCompromised });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw error;
		return JSON.parse(readFileSync(record, 'utf8')) as Running;
	}
	const publish = (links?: Links) =>
		writeFileSync(record, JSON.stringify({ pid: process.pid, links } satisfies Running));
	publish();
	return { publish, release };
}

/** Lines with the addresses, names before them in one column. */
export function linkLines(links: Links): string[] {
	const width = Math.max(...Object.keys(links).map((name) => name.length));
	return Object.entries(links).map(([name, link]) => `${name.padEnd(width)}  ${link}`);
}

/** What a second start says instead of starting. */
export function alreadyRunning({ pid, links }: Running): string[] {
	return links
		? [`Already running at ${Object.values(links)[0]} (process ${pid}).`, '', ...linkLines(links)]
		: [
				`npm start is already starting in another terminal (process ${pid}), which will show its addresses.`,
			];
}
