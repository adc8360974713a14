import { Batch } from '../../../src/transport/run/batch';
import { createJob } from '../../../src/transport/run/createJob';
import { Workspace } from '../../../src/transport/workspace';
import { hostWith, PLAN, runOf } from '../../../testing/run';
import type { Client, Scene } from './client';

/**
 * The real transport as one process of n8n holds it, with all items started at once as n8n starts
 * them.
 * @param name distinguishes the keys of several processes
 */
export async function ours({ clock, service, random, jobs }: Scene, name = 'a'): Promise<number> {
	const workspace = new Workspace(PLAN, clock, random);
	if (service.settings.onEnd) service.settings.onEnd = (job) => workspace.poller.notify(job);
	const host = hostWith(service.send);
	const batch = new Batch(jobs, false);
	const settings = { waitTimeoutMs: Infinity };
	const items = Array.from({ length: jobs }, async (_, itemIndex) => {
		const origin = { runId: name };
		return await createJob(runOf({ host, workspace, settings, batch, itemIndex, origin }));
	});
	return (await Promise.all(items)).filter(({ ok }) => !ok).length;
}

export const oursListing: Client = { name: 'ours, list', run: ours };

export const oursWithEvents: Client = { name: 'ours, events', events: true, run: ours };
