import { contentWalkOf, type ContentWalk } from './contentWalk';
import { note } from '../item/itemMemory';
import { toResult, jobState } from '../jobs/jobState';
import { rememberedJob } from './rememberedJob';
import { ok, type Result } from '../base/result';
import type { Item } from '../item/item';
import { NO_PERMIT, submitShared, type Submitted } from './submitShared';
import { Submission } from './submit';
import type { Resource } from '../base/types';
import type { Ended } from '../jobs/jobPoller';

async function start(item: Item): Promise<Result<Submitted>> {
	const submission = new Submission(item);
	const begun = await submission.begin();
	if (!begun.ok) return begun;
	if ('send' in begun.value) return await submitShared(item, submission, begun.value.send);
	item.handOver();
	return ok({ job: begun.value.known, attempt: 0, permit: NO_PERMIT, isKnown: true });
}

async function waitFor(item: Item, { job, permit }: Submitted): Promise<Result<Ended>> {
	const { host, workspace, settings, batch, itemIndex } = item;
	const { terminalStatuses, waitTimeoutMs } = settings;
	const ended = await workspace.jobPoller.wait(host.channel, job, waitTimeoutMs, {
		terminalStatuses,
	});
	if (!ended.ok) {
		permit.abandon(job);
		return ended;
	}
	permit.release();
	batch.created(itemIndex, ended.value.job);
	return ended;
}

/** Notes how a job has ended, and whether another one may be made in its place in this very run. */
async function settle(
	item: Item,
	{ isKnown }: Submitted,
	ended: Ended,
	walk: () => ContentWalk,
): Promise<Result<Resource> | 'again'> {
	const { settings, memory, node, workspace } = item;
	const result = toResult(ended.job, settings.terminalStatuses);
	if (result.ok) {
		const resource = rememberedJob(item, result.value);
		note(memory, { kind: 'endedWell', ...(resource !== undefined && { resource }) });
		return result;
	}
	note(memory, { kind: 'endedBadly' });
	const { id } = ended.job;
	const former = (node.former ??= []);
	const isFormer = former.includes(id);
	if (!isFormer) former.push(id);
	if (settings.idempotency !== 'content' || isKnown) return result;
	const { endedAtFirstPoll: atFirstLook } = ended;
	const mayGoOn = await walk().mayGoOn(item, { id, atFirstLook, isFormer });
	workspace.creations.failed(id);
	return mayGoOn ? 'again' : result;
}

/** Creates a job, and waits for its end if wanted. A job that ends badly is a failure that carries it. */
export async function create(item: Item): Promise<Result<Resource>> {
	const { batch, settings, itemIndex, memory } = item;
	// Every request is new.
	if (settings.idempotency === 'none') note(memory, { kind: 'changed', restart: true });
	const byContent = settings.idempotency === 'content';
	if (byContent && memory.state.is === 'new') note(memory, { kind: 'walksAgain' });
	// The same one for all that this try makes, although the content may read differently after the first.
	let walk: ContentWalk | undefined;
	const walkOnce = () => (walk ??= contentWalkOf(item));
	for (;;) {
		const submitted = await start(item);
		if (!submitted.ok) return submitted;
		const { job, permit, land } = submitted.value;
		batch.created(itemIndex, job);
		const state = jobState(job, settings.terminalStatuses);
		const mayBeOlder = settings.idempotency === 'content' && state === 'bad';
		if (!settings.waitForCompletion && !mayBeOlder) {
			if (state === 'running') permit.abandon(job);
			else permit.release();
			land?.();
			const resource = rememberedJob(item, job);
			if (resource !== undefined) note(memory, { kind: 'endedWell', resource });
			return ok(job);
		}
		const ended = await waitFor(item, submitted.value).finally(() => land?.());
		if (!ended.ok) return ended;
		const settled = await settle(item, submitted.value, ended.value, walkOnce);
		if (settled !== 'again') return settings.waitForCompletion ? settled : ok(job);
	}
}
