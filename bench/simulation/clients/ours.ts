import { startRun } from '../../ours';
import type { Client, Scene } from './client';

/**
 * The real transport as one process of n8n holds it.
 * @param name distinguishes the keys of several processes
 */
export async function ours(
	{ clock, send, settings, random, jobs }: Scene,
	name?: string,
): Promise<number> {
	const { workspace, items } = startRun({ clock, random, send, jobs, name });
	if (settings.onEnd) settings.onEnd = (job) => workspace.poller.notify(job);
	return (await items).filter((isMade) => !isMade).length;
}

export const oursListing: Client = { name: 'ours, list', run: ours };

export const oursWithEvents: Client = { name: 'ours, events', events: true, run: ours };
