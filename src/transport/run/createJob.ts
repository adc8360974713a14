import { IDEMPOTENCY_HEADER } from '../../contract';
import { fail, ok, refusalStatusOf, type Failed, type Result } from '../base/result';
import {
	isNoResponse,
	isResource,
	isSuccess,
	type ApiRequest,
	type Channel,
	type Resource,
	type SendResult,
} from '../base/types';
import { onAbort } from '../base/waiting';
import { requestResource } from '../http/client';
import { isAnswerOfService, isOutcomeUnknown, meaningOf } from '../http/statuses';
import { jobState, readerOf, readerPath, toResult } from '../jobs/jobState';
import type { Slot } from '../limits/jobSlots';
import { GIVE_UP_MS } from '../limits/tuning';
import { halt, halted, inTurn, orSilence } from './batch';
import { isOutOfCredits, withinMaxCredits } from './credits';
import type { Item } from './item';
import {
	isKeyExpired,
	isOutcomeOpen,
	isWithoutEffect,
	nextStep,
	type Facts,
	type ItemEvent,
	type JobReference,
} from './itemState';
import {
	claimCustomKey,
	contentOf,
	isKeyPersistent,
	keyInUse,
	keyOf,
	keysOfContent,
	shortHash,
} from './keys';
import { noteFormerJob, recordEvent, undeliveredOf } from './memory';
import { expiryOf, filesIn } from './outputs';
import { findPossibleDuplicate } from './search';
import { openRequest, uploadAll, type OpenedRequest } from './uploads';

/*
 * What happens to one item that creates something, from top to bottom: is its job known? its files,
 * a slot, the request, what the answer means, the wait for the end.
 *
 * A creation is sent again for these reasons and no others.
 *
 * Under the same key and with the same body, as it may have been done, or certainly was not:
 *  1. no answer, an unusable one, a 5xx, a 429 where no slot is taken: `http/client.ts`, one request until its answer
 *  2. a 429 of one that takes a job slot: as soon as there is one (`obtainJob`)
 *  3. an earlier try of the node left open what became of it (`decide`: resend)
 *
 * Under the next key, as nothing good can come of this one:
 *  4. an earlier try of the node was refused, or its job has failed (`itemState.ts`; a key of the
 *     user's own stays the same)
 *  5. a 402 under Wait for Top-Up, once there may be credits again (`obtainJob`)
 *  6. with `content`, a 402: once, as a service may repeat its refusal for the key (`obtainJob`)
 *  7. with `content`, the job under the key is of an earlier run and has failed (`createJob`)
 *  8. the key has expired, and nothing was made under it: certainly, or as a search shows (`decide`)
 *  9. the user has changed the request (`decide`: send)
 * 10. without a key, the node is run again (`begin`)
 */

/** More keys than any content has failed jobs in a day: whoever gets there has found a fault of ours. */
const MAX_KEYS = 50;

/** Refused with 429 so often, and for as long as it may wait for a slot, a creation is given up. */
const MAX_REFUSALS = 10;

/** The request of a creation, whose key has been chosen. */
interface Creation extends Pick<ApiRequest, 'path' | 'body'> {
	/** The number of its key. */
	attempt: number;
	key: string | undefined;
}

/** What a service has made. */
interface Made {
	job: Resource;
	/** Whether there is nothing to wait for, whatever its status. */
	isOver: boolean;
}

/** A job, with the slot that it holds: a known job holds none. */
type Held = Made & { slot?: Slot };

/** Others have found out that there are no credits, and none came in time. */
const NO_CREDITS = fail({ kind: 'status', status: 402, serviceError: {}, outcomeUnknown: false });

/**
 * Creates the job of an item and, if wanted, waits for it to end. A job that fails is a failure that
 * carries the job.
 */
export async function createJob(item: Item): Promise<Result<Resource>> {
	const { settings, itemIndex, batch, node } = item;
	const opened = await openRequest(item);
	if (!opened.ok) return opened;
	const refused = await begin(item, opened.value);
	if (refused) return refused;
	for (let keys = 0; keys < MAX_KEYS; keys += 1) {
		const made = await obtainJob(item, opened.value);
		if (!made.ok) return made;
		const { job, slot } = made.value;
		batch.addJob(itemIndex, job, item.part);
		const ended = await follow(item, made.value);
		if (ended.ok || ended.failure.kind !== 'jobFailed') return ended;
		// A job that this run has made ends the item: whatever fails at once would be paid for again and again.
		const isEarlier = slot && (await batch.earlierRuns.has(item, job.id));
		noteFormerJob(node, job.id);
		if (settings.idempotency !== 'content' || !isEarlier) return ended;
	}
	const problem = `has led to ${MAX_KEYS} failed jobs`;
	return fail({ kind: 'input', field: 'The request', problem, hint: 'Change it' });
}

/** What has to be settled before the first request. @returns why the item is not sent at all */
async function begin(item: Item, opened: OpenedRequest): Promise<Failed | undefined> {
	const { batch, itemIndex, memory, settings, spec } = item;
	claimCustomKey(item, opened.requestFingerprint);
	if (settings.idempotency === 'custom') await batch.keyClaimed(itemIndex);
	const rejected = batch.rejectionOf(itemIndex);
	if (rejected) return rejected;

	// Without a key, every request is a new one.
	if (settings.idempotency === 'none') startOver(item);
	const isAtFirstKey = settings.idempotency === 'content' && isWithoutEffect(memory.state);
	if (memory.state.is === 'new' || isAtFirstKey) {
		remember(item, opened);
		startAtFirstKey(item);
		if (takeUndelivered(item)) return undefined;
		const unfit = await spec.check?.(item);
		if (unfit) return unfit;
	}
	if (!isKeyPersistent(item) || 'job' in memory.state) return undefined;
	const seen = await inTurn(item, async (one) => ok(await batch.earlierRuns.load(one)));
	return seen.ok ? undefined : seen;
}

/** What follows is another request than the one that the state of the item is about. */
function startOver({ memory, node, settings }: Item): void {
	if ('job' in memory.state) noteFormerJob(node, memory.state.job.id);
	recordEvent(memory, { kind: 'requestChanged', restart: settings.idempotency === 'content' });
	// What the former request may have reserved stays in the sum.
	delete memory.expectedCredits;
}

function remember({ memory, inputFingerprint, settings }: Item, opened: OpenedRequest): void {
	memory.inputFingerprint = inputFingerprint;
	memory.fingerprint = opened.requestFingerprint;
	if (settings.idempotency === 'custom') memory.customKey = shortHash(settings.idempotencyKey);
	else delete memory.customKey;
}

/**
 * What decides about the next step. The user has changed the request if both the parameters and
 * input that the user controls and the resulting request differ: one that merely evaluates
 * differently each time (`$now` in a prompt) is the same one.
 */
function factsOf(item: Item, { requestFingerprint }: OpenedRequest): Facts {
	const { memory, inputFingerprint, origin, settings, workspace } = item;
	return {
		now: workspace.clock.now(),
		isChanged:
			memory.inputFingerprint !== inputFingerprint && memory.fingerprint !== requestFingerprint,
		hasFixedKey:
			settings.idempotency === 'custom' && memory.customKey === shortHash(settings.idempotencyKey),
		execution: origin.executionId,
	};
}

/** With `content`, all executions try the keys of a content in the same order. */
function startAtFirstKey(item: Item): void {
	if (item.settings.idempotency !== 'content') return;
	const { first, used = 0 } = keysOfContent(item);
	const firstKey = item.batch.earlierRuns.firstKey(contentOf(item), first);
	// Another item of the run may have found the job under a later key.
	recordEvent(item.memory, { kind: 'startsAtKey', firstKey: Math.max(firstKey, used) });
}

/** In the editor a new execution goes on with a job that a failed one has paid for and given to nobody. */
function takeUndelivered(item: Item): boolean {
	const { memory, workspace, origin, settings, spec } = item;
	if (!origin.isManual || settings.idempotency !== 'execution' || spec.holdsSecret) return false;
	const job = undeliveredOf(workspace).take(contentOf(item), workspace.clock.now(), origin.runId);
	if (job) recordEvent(memory, { kind: 'jobKnown', job });
	return job !== undefined;
}

/**
 * Gets the job of an item: one that is known, or a new one as soon as there is a slot and, under
 * Wait for Top-Up, credits.
 */
async function obtainJob(item: Item, opened: OpenedRequest): Promise<Result<Held>> {
	const { memory, settings, workspace, spec, batch, giveUp } = item;
	const { credits, slots, clock } = workspace;
	const stop = batch.stopSignal(item.host.channel.signal);
	// Until it is sent.
	const signal = giveUp ? AbortSignal.any([stop, giveUp]) : stop;
	const channel = { ...item.host.channel, signal };
	const isByContent = settings.idempotency === 'content';
	const waitsForCredits = settings.onInsufficientCredits === 'wait';
	let creditsBy: number | undefined;
	let lackedCredits: Failed | undefined;
	let since: number | undefined;
	const refusals: number[] = [];
	for (;;) {
		const start = await decide(item, opened);
		if (!start.ok) {
			halt(item, start);
			return start;
		}
		if ('known' in start.value) {
			return ok({ job: start.value.known, isOver: memory.state.is === 'done' });
		}
		const { creation } = start.value;
		const mayTryFreely = !credits.lacksCredits;
		if (credits.lacksCredits) creditsBy ??= clock.monotonic() + settings.creditWaitTimeoutMs;
		if (waitsForCredits && !(await credits.mayTry(channel, creditsBy ?? Infinity))) {
			const why = signal.aborted ? fail({ kind: 'cancelled' }) : (lackedCredits ?? NO_CREDITS);
			return halted(item) ?? why;
		}
		const askedAt = since ?? clock.monotonic();
		const isInTurn = settings.maxCredits > 0;
		// Before the slot, which the request of another item might keep for minutes.
		if (isInTurn && !(await item.credits.turn.enter(channel)))
			return halted(item) ?? fail({ kind: 'cancelled' });
		try {
			const acquired = await slots.acquire(channel, {
				timeoutMs: settings.waitTimeoutMs,
				takesSlot: spec.takesSlot ?? false,
				since: askedAt,
			});
			if (!acquired.ok) return halted(item) ?? acquired;
			const slot = acquired.value;
			// It may have waited for hours: then the key may no longer say what became of the request, or the
			// credits have run out, and it waits for its turn to try.
			if (hasKeyExpired(item) || (waitsForCredits && mayTryFreely && credits.lacksCredits)) {
				slot.release();
				continue;
			}
			let sent = await sendCreation(item, channel, creation);
			const { firstKey: attempt, is } = memory.state;
			const isAtNextKey = isByContent && is === 'new' && attempt > creation.attempt;
			if (isAtNextKey && !sent.ok && isOutOfCredits(sent)) {
				// At once: credits that come in between would be spent under a key that nobody else tries first.
				const key = keyOf(item, opened.requestFingerprint, attempt);
				sent = await sendCreation(item, channel, { ...creation, attempt, key });
			}
			if (sent.ok) {
				slot.accepted(sent.value.job);
				// What never waits for credits may be cheap, and says nothing to those that do.
				if (waitsForCredits) credits.succeeded(lackedCredits !== undefined);
				return ok({ ...sent.value, slot });
			}
			if (spec.takesSlot && refusalStatusOf(sent) === 429) {
				since = askedAt;
				slot.refused(sent.failure.kind === 'status' ? sent.failure.hintMs : undefined);
				refusals.push(clock.monotonic());
				// While others get slots, waiting for one has no end of its own.
				const refusedMs = clock.monotonic() - (refusals[0] ?? 0);
				const isLate = refusedMs >= Math.min(GIVE_UP_MS, settings.waitTimeoutMs);
				if (refusals.length >= MAX_REFUSALS && isLate) return sent;
			} else if (isOutOfCredits(sent) && waitsForCredits) {
				slot.release();
				credits.refused();
				lackedCredits = sent;
				since = undefined;
				startAtFirstKey(item);
			} else {
				// Before the next item gets the turn, or the slot: it would run into the same refusal.
				halt(item, sent);
				slot.release();
				return sent;
			}
		} finally {
			if (isInTurn) item.credits.turn.leave();
		}
	}
}

/** What a try starts with: a job that is known, or a request to send. */
type Start = { known: Resource } | { creation: Creation };

/** Decides by the state of the item. Sends nothing but files, and what it takes to find out. */
async function decide(item: Item, opened: OpenedRequest): Promise<Result<Start>> {
	const { memory, settings, origin, workspace } = item;
	const step = nextStep(memory.state, factsOf(item, opened));
	switch (step.do) {
		case 'reject':
			return keyInUse(step.job);
		case 'read':
			return await readKnownJob(item, step.job);
		case 'output': {
			const known: unknown = JSON.parse(step.resource);
			// Its links have to work for a while yet.
			const soon = workspace.clock.now() + 60_000;
			const isUsable = isResource(known) && filesIn(known).every((file) => expiryOf(file) > soon);
			return isUsable ? ok({ known }) : await readKnownJob(item, step.job);
		}
		case 'resend': {
			const { attempt, key, path, body } = step.sent;
			return ok({ creation: { attempt, key, path, body } });
		}
		case 'search': {
			const found = await inTurn(item, async (one) => {
				return await findPossibleDuplicate(one, step.sent, step.because);
			});
			if (!found.ok && found.failure.kind === 'possibleDuplicate') {
				recordEvent(memory, { kind: 'userWarned', execution: origin.executionId });
				for (const id of found.failure.candidates) item.batch.candidates.add(id);
			}
			if (!found.ok) return found;
			recordEvent(memory, { kind: 'nothingFound', restart: settings.idempotency === 'content' });
			return await decide(item, opened);
		}
		case 'send': {
			if (step.startsOver) startOver(item);
			remember(item, opened);
			const uploaded = await uploadAll(item, opened);
			if (!uploaded.ok) return uploaded;
			const attempt = memory.state.firstKey;
			const key = keyOf(item, opened.requestFingerprint, attempt);
			return ok({ creation: { attempt, key, path: item.request.path, body: uploaded.value } });
		}
	}
}

/** Whether the key of an open outcome can no longer settle it. */
const hasKeyExpired = ({ memory: { state }, workspace: { clock } }: Item): boolean =>
	isOutcomeOpen(state) && isKeyExpired(state.firstSentAt, clock.now());

/**
 * Sends a creation under one key until there is a final response. Each attempt is recorded before it
 * is sent and once its response is there, so that a run that dies in between can pick it up. Until
 * the first attempt the signal of the channel stops it; from then on it is seen through to its end,
 * as it may have been carried out.
 */
async function sendCreation(
	item: Item,
	channel: Channel,
	{ attempt, key, path, body: prepared }: Creation,
): Promise<Result<Made>> {
	const { workspace, spec, memory, batch, host, request } = item;
	const stop = new AbortController();
	let hasSent = false;
	let status = 0;
	const send: Channel['send'] = async (sending) => {
		if (!hasSent && channel.signal?.aborted) return { noResponse: 'not sent', unsent: 'local' };
		hasSent = true;
		const { body } = sending;
		const now = workspace.clock.now();
		recordEvent(memory, { kind: 'sending', attempt, key, path, body, now });
		const result = await host.channel.send(sending);
		record(result, item, attempt);
		if (!isNoResponse(result)) status = result.status;
		return result;
	};
	const recording = { ...channel, send, signal: stop.signal };
	const headers: Record<string, string> = key ? { [IDEMPOTENCY_HEADER]: key } : {};
	const post = async (body: unknown) =>
		await requestResource(
			workspace.client,
			recording,
			{ method: 'POST', path, query: request.query, body, headers },
			{
				replayable: () => key !== undefined && !hasKeyExpired(item),
				return429: spec.takesSlot,
				outcomeOpen: isOutcomeOpen(memory.state),
			},
		);
	const disposals = [
		onAbort(host.channel.signal, () => stop.abort()),
		onAbort(channel.signal, () => {
			if (!hasSent || batch.isSilent) stop.abort();
		}),
	];
	if (channel.signal?.aborted) stop.abort();
	try {
		const response = await withinMaxCredits(item, prepared, post);
		if (!response.ok) return hasSent ? orSilence(item, response) : (halted(item) ?? response);
		const job = { ...response.value, object: response.value.object ?? spec.object };
		return ok({ job, isOver: isPlanOnly(job, status) });
	} finally {
		for (const dispose of disposals) dispose();
	}
}

/** What the answer to a creation means for the item. */
function eventOf(result: SendResult, item: Item, attempt: number): ItemEvent {
	const { spec, settings } = item;
	if (isNoResponse(result)) {
		return { kind: isOutcomeUnknown(result) ? 'outcomeUnknown' : 'noEffect' };
	}
	const { status, body } = result;
	// Only the response itself reveals a secret, so the request is repeated rather than the resource read.
	if (isSuccess(status) && isResource(body) && !spec.holdsSecret) {
		const object = typeof body.object === 'string' ? body.object : spec.object;
		return { kind: 'jobKnown', job: { id: body.id, ...(object && { object }) } };
	}
	// Such as 409 while the first attempt is still at work, or 524 of a gateway: only what proves
	// that nothing was done frees the key.
	const { nothingDone, again } = meaningOf(status);
	if (!nothingDone) return { kind: 'outcomeUnknown' };
	if (again !== 'never') return { kind: 'noEffect' };
	// A gateway may have let the request through before it refused the response.
	if (!isAnswerOfService(result)) return { kind: 'outcomeUnknown' };
	if (settings.idempotency === 'execution') return { kind: 'refused', nextKey: attempt + 1 };
	const lacksCredits = settings.idempotency === 'content' && status === 402;
	const nextKey = lacksCredits ? keysOfContent(item).afterNoCredits(attempt) : attempt;
	return { kind: 'refused', nextKey };
}

/** Records the answer. With `content`, the other executions of this process start where there is, or may be, a job. */
function record(result: SendResult, item: Item, attempt: number): void {
	const { memory, settings, workspace } = item;
	recordEvent(memory, eventOf(result, item, attempt));
	const { state } = memory;
	const job = 'job' in state ? state.job.id : undefined;
	if (settings.idempotency !== 'content' || !(job ?? isOutcomeOpen(state))) return;
	keysOfContent(item).noteUse(attempt, job);
	// Who forgets it starts with the first key, or takes a 402 for a sign that there is no job: and pays again.
	workspace.keep();
}

/** A plan that waits for approval. Specification: Operation details, POST /agents/runs. */
const isPlanOnly = (job: Resource, status: number): boolean =>
	job.object === 'agent_run' && (status === 201 || typeof job.auto_approval_error === 'string');

/** A known job is only read: whatever a gateway responds or a key may not do, the job stays known. */
async function readKnownJob(item: Item, job: JobReference): Promise<Result<{ known: Resource }>> {
	const request = { method: 'GET', path: readerPath({ ...job }) } as const;
	const read = await inTurn(item, async ({ workspace, host }) => {
		return await requestResource(workspace.client, host.channel, request);
	});
	return read.ok
		? ok({ known: { ...(job.object && { object: job.object }), ...read.value } })
		: { ...fail(read.failure, { ...job }), endpoint: readerOf(job.object ?? '') };
}

/** Waits for the end of a job if that is wanted, and records it. */
async function follow(item: Item, held: Held): Promise<Result<Resource>> {
	const { settings, batch, itemIndex } = item;
	const { isOver, slot } = held;
	const seen = isOver ? ok(held.job) : await lookAt(item, held);
	const job = seen.ok ? seen.value : held.job;
	const isRunning = !isOver && jobState(job, settings.terminalStatuses) === 'running';
	if (!seen.ok || isRunning) {
		slot?.leave();
		return seen;
	}
	slot?.release();
	batch.addJob(itemIndex, job, item.part);
	return recordEnd(item, job, isOver);
}

/** A job as it ends or, without Wait for Completion, as it is now. Not `async`: thousands may wait. */
function lookAt(item: Item, { job, slot }: Held): Promise<Result<Resource>> {
	const { host, workspace, settings, batch } = item;
	const { terminalStatuses, waitForCompletion, waitTimeoutMs } = settings;
	// Under a key that other executions share, a job that looks new may be old and may have ended.
	const old = slot && isKeyPersistent(item) ? batch.earlierRuns.mayHave(job.id) : 'never';
	if (waitForCompletion) {
		const options = { terminalStatuses, isOld: old === 'likely' };
		return workspace.poller.wait(host.channel, job, waitTimeoutMs, options);
	}
	if (old === 'never') return Promise.resolve(ok(job));
	const reading = readKnownJob(item, job as JobReference);
	return reading.then((read) => ok(read.ok ? read.value.known : job));
}

function recordEnd(item: Item, job: Resource, isOver: boolean): Result<Resource> {
	const { settings, memory, spec } = item;
	const result = isOver ? ok(job) : toResult(job, settings.terminalStatuses);
	if (result.ok) {
		recordEvent(memory, { kind: 'jobSucceeded', resource: rememberedResource(item, job) });
		return result;
	}
	if (settings.idempotency === 'content' && 'job' in memory.state)
		keysOfContent(item).noteFailure(memory.state.attempt, memory.state.job.id);
	// What approves or reviews a run makes no new one.
	if (!spec.endpoint.path.includes('{id}')) recordEvent(memory, { kind: 'jobFailed' });
	return result;
}

/** The largest resource that is remembered in full, in characters of JSON. */
const MAX_CHARACTERS = 2_000;

/**
 * The resource as it is remembered after success; `undefined` for one that may still change, which
 * is read again. As text, so that nothing downstream can modify it.
 */
function rememberedResource({ spec, settings }: Item, job: Resource): string | undefined {
	const isRunning = jobState(job, settings.terminalStatuses) === 'running';
	const mayChange = spec.output === 'job' && (job.object === 'agent_run' || isRunning);
	if (spec.holdsSecret || mayChange) return undefined;
	const text = JSON.stringify(job);
	return text.length <= MAX_CHARACTERS ? text : undefined;
}
