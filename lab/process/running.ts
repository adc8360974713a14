/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import execa from 'execa';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stateRoot } from './paths';

/** A process, told apart from a later one with the same number by when it began. */
export interface Identity {
	pid: number;
	began: string;
}

/**
 * Who uses a state folder, a file for each process: `npm start` itself, and the leader of each process
 * group that it has started. A file means nothing once its process is gone, so that nothing has to be
 * waited for or taken over after a kill.
 */
export interface Entry extends Identity {
	/** The process that ends this one; `npm start` itself has none. */
	owner?: Identity;
}

const folderIn = (state: string) => path.join(state, 'running');
const fileOf = (state: string, pid: number) => path.join(folderIn(state), `${pid}.json`);

/**
 * When a process began, in whatever unit the system has; `undefined` where there is none with this number.
 */
export function beginningOf(pid: number): string | undefined {
	try {
		process.kill(pid, 0);
	} catch (error) {
		// It may belong to another user.
		if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
	}
	if (process.platform !== 'linux') {
		const asked = execa.sync('ps', ['-o', 'lstart=', '-p', String(pid)], { reject: false });
		// Windows has no such program: the number alone has to do.
		return asked.stdout ?? '';
	}
	let stat: string;
	try {
		stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
	} catch {
		return undefined;
	}
	// What is before is the name of the program, which may hold anything.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	const [state] = fields;
	// One that has ended, and that nobody has asked about yet.
	return state === 'Z' ? undefined : fields[19];
}

const isAlive = ({ pid, began }: Identity) => beginningOf(pid) === began;

export const ourselves: Identity = { pid: process.pid, began: beginningOf(process.pid) ?? '' };

/** Writes down that a process uses the state folder, or what is new about it. */
export function enter(entry: Entry, state = stateRoot): void {
	mkdirSync(folderIn(state), { recursive: true });
	const file = fileOf(state, entry.pid);
	// Nobody reads half of it.
	writeFileSync(`${file}.new`, JSON.stringify(entry));
	renameSync(`${file}.new`, file);
}

export function leave(pid: number, state = stateRoot): void {
	rmSync(fileOf(state, pid), { force: true });
}

/** Who has entered and not left, dead or alive. */
function entries<T extends Entry>(state = stateRoot): T[] {
	mkdirSync(folderIn(state), { recursive: true });
	const files = readdirSync(folderIn(state)).filter((name) => name.endsWith('.json'));
	return files.flatMap((name) => {
		try {
			return [JSON.parse(readFileSync(path.join(folderIn(state), name), 'utf8')) as T];
		} catch {
			// It has left just now, or the machine has lost its power.
			return [];
		}
	});
}

/** The starts that use the state folder. */
export const startsIn = <T extends Entry>(state?: string): T[] =>
	entries<T>(state).filter((entry) => !entry.owner && isAlive(entry));

/** Whether a process of the group is there. */
function hasMembers(group: number): boolean {
	try {
		process.kill(-group, 0);
		return true;
	} catch {
		return false;
	}
}

/** SIGKILL to all that is left of a process group. */
export function killGroup(leader: number): void {
	if (process.platform === 'win32') return;
	try {
		process.kill(-leader, 'SIGKILL');
	} catch {
		// Nothing is left of it.
	}
}

/**
 * Ends what a start has left that was killed together with the guards of its processes, or just now, so
 * that they are still at it.
 *
 * @returns how many process groups were there
 */
export async function endLeftovers(state = stateRoot): Promise<number> {
	let ended = 0;
	for (const entry of entries(state)) {
		if (isAlive(entry.owner ?? entry)) continue;
		// Another process that has the leader's number by now would not have it while the group has members.
		const isOurs =
			entry.owner !== undefined && [entry.began, undefined].includes(beginningOf(entry.pid));
		if (isOurs && hasMembers(entry.pid)) {
			killGroup(entry.pid);
			// One that has ended stays a member until somebody asks about it, which may be nobody in a
			// container.
			for (let tries = 0; tries < 40 && hasMembers(entry.pid); tries += 1) await sleep(50);
			ended += 1;
		}
		leave(entry.pid, state);
	}
	return ended;
}
