/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LabError } from '../process/failure';
import { stateRoot } from '../process/paths';
import { enter, leave, ourselves, startsIn, type Entry } from '../process/running';
import { numberOf } from './examples';

/** Addresses of a running start, by what they show. */
export type Links = Record<string, string>;

/** What is in the n8n of a start. */
export interface Contents {
	links: Links;
	/** Ids of the examples in it, by their names. */
	workflows: Record<string, string>;
}

/** A start that is running in another terminal. */
export interface Running extends Entry {
	/** Whether n8n and sandbox are its own; otherwise it has only just begun to look for others. */
	holds: boolean;
	/** Missing while it is still starting. */
	contents?: Contents;
}

/** The right to use the folder's n8n and sandbox. */
export interface Lock {
	/** Lets another start find what this one has. */
	publish(contents: Contents): void;
	release(): void;
}

/**
 * Keeps two starts from using one n8n database. Each says that it is there before it looks who else is, so
 * that of two at least one sees the other.
 *
 * @returns the lock, or the start that holds it
 */
export async function lock(state = stateRoot): Promise<Lock | Running> {
	const release = () => leave(ourselves.pid, state);
	const say = (holds: boolean, contents?: Contents) =>
		enter({ ...ourselves, holds, contents } as Running, state);
	for (;;) {
		say(false);
		const others = startsIn<Running>(state).filter(({ pid }) => pid !== ourselves.pid);
		if (others.length === 0) break;
		release();
		const holder = others.find(({ holds }) => holds);
		if (holder) return holder;
		// Begun in the very same moment: who is alone first goes on.
		await sleep(randomInt(20, 200));
	}
	say(true);
	return { publish: (contents) => say(true, contents), release };
}

/** Lines with the addresses, names before them in one column. */
export function linkLines(links: Links): string[] {
	const width = Math.max(...Object.keys(links).map((name) => name.length));
	return Object.entries(links).map(([name, link]) => `${name.padEnd(width)}  ${link}`);
}

/**
 * What a second start says instead of starting.
 *
 * @param example the number of the one that was asked for
 * @throws LabError when the running start does not have that one
 */
export function alreadyRunning({ pid, contents }: Running, example?: string): string[] {
	if (!contents)
		return [
			`npm start is already starting in another terminal (process ${pid}), which will show its addresses.`,
		];
	const links = example ? linksWith(contents, example) : contents.links;
	if (!links)
		throw new LabError(
			`Example ${example} is not in the n8n that is running (process ${pid}): end that start with Ctrl-C first`,
		);
	return [
		`Already running at ${Object.values(links)[0]} (process ${pid}).`,
		'',
		...linkLines(links),
	];
}

/** With the address of an example first, as for whoever starts with it; nothing where it is not in there. */
function linksWith({ links, workflows }: Contents, example: string): Links | undefined {
	const name = Object.keys(workflows).find((each) => numberOf(each) === example);
	if (name === undefined) return undefined;
	const { Workflow = '', ...others } = links;
	return {
		Workflow: Workflow.replace(/\/workflow\/\w+/, `/workflow/${workflows[name]}`),
		...others,
	};
}
