import { contentWalkOf, type ContentWalk } from './contentWalk';
import { note } from '../item/itemMemory';
import { endedJob, jobState } from '../jobs/jobState';
import { rememberedJob } from './rememberedJob';
import { ok, type Result } from '../base/result';
import type { Run } from '../item/item';
import { NO_SLOT, submitShared, type Placed } from './submitShared';
import { Submission } from './submit';
import type { Resource } from '../base/types';
import type { Ended } from '../jobs/jobPoller';

async function start(run: Run): Promise<Result<Placed>> {
	const submission = new Submission(run);
	const begun = await submission.begin();
	if (!begun.ok) return begun;
	if ('send' in begun.value) return await submitShared(run, submission, begun.value.send);
	run.handOver();
	return ok({ job: begun.value.known, attempt: 0, slot: NO_SLOT, isKnown: true });
}

async function waitFor(run: Run, { job, slot }: Placed): Promise<Result<Ended>> {
	const { host, workspace, settings, batch, itemIndex } = run;
	const { endings, waitTimeoutMs } = settings;
	const ended = await workspace.watch.wait(host.line, job, waitTimeoutMs, { endings });
	if (!ended.ok) {
		slot.leave(job);
		return ended;
	}
	slot.free();
	batch.created(itemIndex, ended.value.job);
	return ended;
}

/** Notes how a job has ended, and whether another one may be made in its place in this very run. */
async function settle(
	run: Run,
	{ isKnown }: Placed,
	ended: Ended,
	walk: () => ContentWalk,
): Promise<Result<Resource> | 'again'> {
	const { settings, memory, node, workspace } = run;
	const result = endedJob(ended.job, settings.endings);
	if (result.ok) {
		const resource = rememberedJob(run, result.value);
		note(memory, { kind: 'endedWell', ...(resource !== undefined && { resource }) });
		return result;
	}
	note(memory, { kind: 'endedBadly' });
	const { id } = ended.job;
	const former = (node.former ??= []);
	const isFormer = former.includes(id);
	if (!isFormer) former.push(id);
	if (settings.idempotency !== 'content' || isKnown) return result;
	const { atFirstLook } = ended;
	const mayGoOn = await walk().mayGoOn(run, { id, atFirstLook, isFormer });
	workspace.creations.failed(id);
	return mayGoOn ? 'again' : result;
}

/** Creates a job, and waits for its end if wanted. A job that ends badly is a failure that carries it. */
export async function create(run: Run): Promise<Result<Resource>> {
	const { batch, settings, itemIndex, memory } = run;
	// Every request is new.
	if (settings.idempotency === 'none') note(memory, { kind: 'changed', restart: true });
	const byContent = settings.idempotency === 'content';
	if (byContent && memory.state.is === 'new') note(memory, { kind: 'walksAgain' });
	// The same one for all that this try makes, although the content may read differently after the first.
	let walk: ContentWalk | undefined;
	const walkOnce = () => (walk ??= contentWalkOf(run));
	for (;;) {
		const placed = await start(run);
		if (!placed.ok) return placed;
		const { job, slot, land } = placed.value;
		batch.created(itemIndex, job);
		const state = jobState(job, settings.endings);
		const mayBeOlder = settings.idempotency === 'content' && state === 'bad';
		if (!settings.waitForCompletion && !mayBeOlder) {
			if (state === 'running') slot.leave(job);
			else slot.free();
			land?.();
			const resource = rememberedJob(run, job);
			if (resource !== undefined) note(memory, { kind: 'endedWell', resource });
			return ok(job);
		}
		const ended = await waitFor(run, placed.value).finally(() => land?.());
		if (!ended.ok) return ended;
		const settled = await settle(run, placed.value, ended.value, walkOnce);
		if (settled !== 'again') return settings.waitForCompletion ? settled : ok(job);
	}
}
