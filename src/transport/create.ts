import { onAbort } from './aborts';
import { ContentWalk } from './contentWalk';
import { CreditWait, halt, halted, isLimited, isOutOfCredits } from './halting';
import { note } from './itemMemory';
import { endedJob, jobState } from './job';
import { Patience } from './patience';
import type { Outgoing } from './post';
import { remembered } from './rememberedJob';
import { fail, ok, type Result } from './result';
import type { Run } from './run';
import type { Created } from './sharedCreations';
import type { Slot } from './slots';
import { Submission } from './submit';
import type { Resource } from './types';
import type { Ended } from './watch';

/** A slot that is none: for operations that do not count as concurrent media jobs, and for jobs that are known already. */
const NO_SLOT: Slot = { free: () => {}, accepted: () => {}, refused: () => {}, leave: () => {} };

/** Waits for a place among the concurrent jobs. */
async function takeSlot(run: Run): Promise<Result<Slot>> {
	const { plan, host, workspace, batch } = run;
	if (!plan.takesSlot) return ok(NO_SLOT);
	const signal = batch.stopped(host.line.signal);
	const slot = await workspace.slots.take({ ...host.line, signal });
	return slot ? ok(slot) : (halted(run) ?? fail({ kind: 'cancelled' }));
}

interface Placed extends Created {
	slot: Slot;
	/** Whether an earlier try had made it. */
	isKnown?: boolean;
	/** To be called when nobody waits for the job any more. */
	land?: () => void;
}

/**
 * Submits as soon as there is a place for it, and credits if it is to wait for them. A place that the service denies is given back
 * before the next try.
 */
async function place(run: Run, submission: Submission, first: Outgoing): Promise<Result<Placed>> {
	const { workspace, plan } = run;
	const credits = new CreditWait(run);
	const patience = new Patience(run);
	for (let outgoing = first; ;) {
		const funded = await credits.turn();
		if (!funded.ok) return funded;
		const turn = await takeSlot(run);
		if (!turn.ok) return turn;
		const slot = turn.value;
		const created = halted(run) ?? (await submission.send(outgoing));
		if (created.ok) {
			slot.accepted();
			workspace.funds.areThere();
			const { job, attempt } = created.value;
			return ok({ job: { ...job, object: job.object ?? plan.object }, attempt, slot });
		}
		const isRefused = plan.takesSlot && isLimited(created);
		const isWaiting = !isRefused && isOutOfCredits(created) && credits.ranOut(created);
		// Before the place is free, or another item would be sent into the same refusal.
		if (!isRefused && !isWaiting) halt(run, created);
		if (isRefused) {
			slot.refused(created.failure.kind === 'status' ? created.failure.hintMs : undefined);
			if (await patience.isOver()) return created;
		} else {
			slot.free();
			if (!isWaiting) return created;
		}
		const again = await submission.begin();
		if (!again.ok) return again;
		if ('known' in again.value) return ok({ job: again.value.known, attempt: 0, slot: NO_SLOT });
		outgoing = again.value.send;
	}
}

/** Waits for what another item or execution does, or for the cancel of this one. */
async function unlessCancelled<T>(run: Run, promise: Promise<T>): Promise<T | undefined> {
	let dispose = () => {};
	const cancelled = new Promise<undefined>((resolve) => {
		dispose = onAbort(run.host.line.signal, () => resolve(undefined));
	});
	const first = await Promise.race([promise, cancelled]);
	dispose();
	return first;
}

/**
 * By Content and with a Custom Key, what several items or executions of this process ask for at the same time is sent by one. The
 * others wait for its job, without a place of their own.
 */
async function placeShared(
	run: Run,
	submission: Submission,
	outgoing: Outgoing,
): Promise<Result<Placed>> {
	const { settings, workspace, memory } = run;
	const { key } = outgoing;
	const isShared = settings.idempotency === 'content' || settings.idempotency === 'custom';
	if (!isShared || key === undefined) return await place(run, submission, outgoing);
	const name = `${key}\n${memory.print}`;
	for (;;) {
		const flight = workspace.creations.flightOf(name);
		if (!flight) {
			const own = place(run, submission, outgoing);
			const land = workspace.creations.begin(name, own);
			try {
				const placed = await own;
				if (placed.ok) return ok({ ...placed.value, land });
				land();
				return placed;
			} catch (error) {
				land();
				throw error;
			}
		}
		run.handOver();
		const joined = await unlessCancelled(
			run,
			flight.catch(() => undefined),
		);
		if (run.host.line.signal?.aborted) return fail({ kind: 'cancelled' });
		if (joined?.ok) {
			const { job, attempt } = joined.value;
			const object = typeof job.object === 'string' ? job.object : undefined;
			note(memory, { kind: 'answered', attempt, job: { id: job.id, ...(object && { object }) } });
			return ok({ job, attempt, slot: NO_SLOT });
		}
		const stopped = halted(run);
		if (stopped) return stopped;
	}
}

async function start(run: Run): Promise<Result<Placed>> {
	const submission = new Submission(run);
	const begun = await submission.begin();
	if (!begun.ok) return begun;
	if ('send' in begun.value) return await placeShared(run, submission, begun.value.send);
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

function walkOf(run: Run): ContentWalk {
	const { batch, memory } = run;
	const content = memory.print ?? '';
	const known = batch.walks.get(content);
	const walk = known ?? new ContentWalk(run);
	batch.walks.set(content, walk);
	return walk;
}

/** Notes how a job has ended, and whether another one may be made in its place in this very run. */
async function settle(
	run: Run,
	{ isKnown }: Placed,
	ended: Ended,
): Promise<Result<Resource> | 'again'> {
	const { settings, memory, node, workspace } = run;
	const result = endedJob(ended.job, settings.endings);
	if (result.ok) {
		const resource = remembered(run, result.value);
		note(memory, { kind: 'endedWell', ...(resource !== undefined && { resource }) });
		return result;
	}
	note(memory, { kind: 'endedBadly' });
	(node.former ??= []).push(ended.job.id);
	if (settings.idempotency !== 'content' || isKnown) return result;
	const mayGoOn = await walkOf(run).mayGoOn(run, ended.job.id, ended.atFirstLook);
	workspace.creations.failed(ended.job.id);
	return mayGoOn ? 'again' : result;
}

/** Creates a job, and waits for its end if wanted. A job that ends badly is a failure that carries it. */
export async function create(run: Run): Promise<Result<Resource>> {
	const { batch, settings, itemIndex, memory } = run;
	// Every request is new.
	if (settings.idempotency === 'none') note(memory, { kind: 'changed', restart: true });
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
			const resource = remembered(run, job);
			if (resource !== undefined) note(memory, { kind: 'endedWell', resource });
			return ok(job);
		}
		const ended = await waitFor(run, placed.value);
		land?.();
		if (!ended.ok) return ended;
		const settled = await settle(run, placed.value, ended.value);
		if (settled !== 'again') return settings.waitForCompletion ? settled : ok(job);
	}
}
