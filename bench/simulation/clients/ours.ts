import { startRun } from '../../ours';
import type { Client, Scene } from './client';

/**
 * The real transport as one process of n8n holds it.
 * @param name distinguishes the keys of several processes
 */
export async function ours(
	{ clock, service, random, jobs }: Scene,
	name?: string,
): Promise<number> {
	const { workspace, items } = startRun({ clock, random, send: service.send, jobs, name });
	if (service.settings.onEnd) service.settings.onEnd = (job) => workspace.poller.notify(job);
	return (await items).filter((isMade) => !isMade).length;
}

export const oursListing: Client = { name: 'ours, list', run: ours };

export const oursWithEvents: Client = { name: 'ours, events', events: true, run: ours };
