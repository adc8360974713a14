import { IDEMPOTENCY_HEADER } from '../contract';
import { fail, ok, type Failed, type Result } from '../base/result';
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
import { requestResource } from '../service/client';
import { isAnswerOfService, isOutcomeUnknown, meaningOf, refusalOf } from '../service/statuses';
import { jobState, readerOf, readerPath, toResult } from '../service/jobState';
import type { Slot } from '../service/jobSlots';
import { GIVE_UP_MS } from '../service/tuning';
import { halt, inTurn, whyStopped } from './run';
import { awaitCredits, isOutOfCredits, withinMaxCredits, type CreditWait } from './credits';
import type { Item, OperationSpec } from './item';
import {
	isKeyExpired,
	isOutcomeOpen,
	nextStep,
	noteFormerJob,
	recordEvent,
	type ItemEvent,
	type JobReference,
} from './state';
import { findPossibleDuplicate, ItemKeys, keyInUse } from './keys';
import { expiryOf, filesIn } from './files';
import { openRequest, uploadAll, type OpenedRequest } from './uploads';

/*
 * What happens to one item that creates something, from top to bottom: is its job known? its files,
 * a slot, the request, what the answer means, the wait for the end.
 *
 * A creation is sent again for these reasons and no others.
 *
 * Under the same key and with the same body, as it may have been done, or certainly was not:
 *  1. no answer, an unusable one, a 5xx, a 429 where no slot is taken: `http/client.ts`, one request until its answer
 *  2. a 429 of one that takes a job slot: as soon as there is one (`afterAnswer`)
 *  3. an earlier try of the node left open what became of it (`decide`: resend)
 *
 * Under the next key, as nothing good can come of this one:
 *  4. an earlier try of the node was refused, or its job has failed (`itemState.ts`; a key of the
 *     user's own stays the same)
 *  5. a 402 under Wait for Top-Up, once there may be credits again (`afterAnswer`)
 *  6. with `content`, a 402: once, as a service may repeat its refusal for the key (`tryOnce`)
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

/** What a creation has met on its way to a job. */
interface Tries extends CreditWait {
	/** Until it is sent, its signal fires when nothing further may be sent for the item. */
	channel: Channel;
	/** When its wait for a slot began, on the monotonic clock. */
	since?: number;
	/** How often it was refused with 429, and when first, on the monotonic clock. */
	refusals: number;
	refusedAt?: number;
}

/**
 * Creates the job of an item and, if wanted, waits for it to end. A job that fails is a failure that
 * carries the job.
 */
export async function createJob(item: Item): Promise<Result<Resource>> {
	const { batch, itemIndex, memory, node, part } = item;
	const opened = await openRequest(item);
	if (!opened.ok) return opened;
	const { sources, requestFingerprint } = opened.value;
	const keys = new ItemKeys(item, requestFingerprint);
	const refused = await begin(item, keys);
	if (refused) return refused;
	for (let tried = 0; tried < MAX_KEYS; tried += 1) {
		const made = await obtainJob(item, keys, sources);
		if (!made.ok) return whyStopped(item, made, isOutcomeOpen(memory.state));
		const { job, slot } = made.value;
		batch.addJob(itemIndex, job, part);
		const ended = await follow(item, keys, made.value);
		if (ended.ok || ended.failure.kind !== 'jobFailed') return ended;
		const leadsOn = slot !== undefined && (await keys.leadOnFrom(job.id));
		noteFormerJob(node, job.id);
		if (!leadsOn) return ended;
	}
	const problem = `has led to ${MAX_KEYS} failed jobs`;
	return fail({ kind: 'input', field: 'The request', problem, hint: 'Change it' });
}

/** What has to be settled before the first request. @returns why the item is not sent at all */
async function begin(item: Item, keys: ItemKeys): Promise<Failed | undefined> {
	const { batch, itemIndex, memory, spec } = item;
	await keys.claim();
	const rejected = batch.rejectionOf(itemIndex);
	if (rejected) return rejected;
	if (keys.isNone) startOver(item, keys);
	if (keys.isAtStart) {
		keys.remember();
		keys.startAtFirst();
		const job = keys.takeUndelivered();
		if (job) recordEvent(memory, { kind: 'jobKnown', job });
		const unfit = job ? undefined : await spec.check?.(item);
		if (unfit) return unfit;
	}
	await keys.lookBack();
	return undefined;
}

/** What follows is another request than the one that the state of the item is about. */
function startOver({ memory, node }: Item, { restart }: ItemKeys): void {
	if ('job' in memory.state) noteFormerJob(node, memory.state.job.id);
	recordEvent(memory, { kind: 'requestChanged', restart });
	// What the former request may have reserved stays in the sum.
	delete memory.expectedCredits;
}

/**
 * Gets the job of an item: one that is known, or a new one as soon as there are credits, under Max
 * Credits the turn of the item, and a slot.
 */
async function obtainJob(
	item: Item,
	keys: ItemKeys,
	sources: OpenedRequest['sources'],
): Promise<Result<Held>> {
	const { memory, settings, spec, batch, giveUp, host, credits, workspace } = item;
	const { slots, clock } = workspace;
	const stop = batch.stopSignal(host.channel.signal);
	const signal = giveUp ? AbortSignal.any([stop, giveUp]) : stop;
	const tries: Tries = { channel: { ...host.channel, signal }, refusals: 0 };
	const isInTurn = settings.maxCredits < Infinity;
	for (;;) {
		const decideFor = async (one: Item) => await decide(one, keys, sources);
		// For a new item without files nothing is read or sent.
		const isSimple = memory.state.is === 'new' && sources.size === 0;
		const start = isSimple ? await decideFor(item) : await inTurn(item, decideFor);
		if (!start.ok) return start;
		if ('known' in start.value)
			return ok({ job: start.value.known, isOver: memory.state.is === 'done' });
		const lacking = await awaitCredits(item, tries.channel, tries);
		if (lacking) return lacking;
		// Before the slot, which the request of another item might keep for minutes.
		if (isInTurn && !(await credits.turn.enter(tries.channel))) return fail({ kind: 'cancelled' });
		try {
			const acquired = await slots.acquire(tries.channel, {
				timeoutMs: settings.waitTimeoutMs,
				takesSlot: spec.takesSlot ?? false,
				since: (tries.since ??= clock.monotonic()),
			});
			if (!acquired.ok) return acquired;
			const made = await tryOnce(item, keys, start.value.creation, acquired.value, tries);
			if (made) return made;
		} finally {
			if (isInTurn) credits.turn.leave();
		}
	}
}

/** What a try starts with: a job that is known, or a request to send. */
type Start = { known: Resource } | { creation: Creation };

/** Decides by the state of the item. Sends nothing but files, and what it takes to find out. */
async function decide(
	item: Item,
	keys: ItemKeys,
	sources: OpenedRequest['sources'],
): Promise<Result<Start>> {
	const { memory, origin, workspace, batch, request } = item;
	const step = nextStep(memory.state, keys.facts);
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
			const found = await findPossibleDuplicate(item, step.sent, step.because);
			if (!found.ok && found.failure.kind === 'possibleDuplicate') {
				recordEvent(memory, { kind: 'userWarned', execution: origin.executionId });
				for (const id of found.failure.candidates) batch.candidates.add(id);
			}
			if (!found.ok) return found;
			recordEvent(memory, { kind: 'nothingFound', restart: keys.restart });
			return await decide(item, keys, sources);
		}
		case 'send': {
			if (step.startsOver) startOver(item, keys);
			keys.remember();
			const uploaded = await uploadAll(item, sources);
			if (!uploaded.ok) return uploaded;
			const attempt = memory.state.firstKey;
			const creation = { attempt, key: keys.of(attempt), path: request.path, body: uploaded.value };
			return ok({ creation });
		}
	}
}

/** A known job is only read: whatever a gateway responds or a key may not do, the job stays known. */
async function readKnownJob(
	{ host, workspace }: Item,
	job: JobReference,
): Promise<Result<{ known: Resource }>> {
	const request = { method: 'GET', path: readerPath({ ...job }) } as const;
	const read = await requestResource(workspace.client, host.channel, request);
	return read.ok
		? ok({ known: { ...(job.object && { object: job.object }), ...read.value } })
		: { ...fail(read.failure, { ...job }), endpoint: readerOf(job.object ?? '') };
}

/** Sends a creation. @returns what has come of it; `undefined` if it is to be tried again */
async function tryOnce(
	item: Item,
	keys: ItemKeys,
	creation: Creation,
	slot: Slot,
	tries: Tries,
): Promise<Result<Held> | undefined> {
	// It may have waited for hours: then the key may no longer say what became of the request, or the
	// credits have run out, and it waits for its turn to try.
	if (hasKeyExpired(item) || (tries.wasFree && item.workspace.credits.lacksCredits)) {
		slot.release();
		tries.since = undefined;
		return undefined;
	}
	let sent = await sendCreation(item, keys, tries.channel, creation);
	const attempt = keys.nextAfterNoCredits(creation.attempt);
	if (!sent.ok && isOutOfCredits(sent) && attempt !== undefined) {
		// At once: credits that come in between would be spent under a key that nobody else tries first.
		const again = { ...creation, attempt, key: keys.of(attempt) };
		sent = await sendCreation(item, keys, tries.channel, again);
	}
	return afterAnswer(item, keys, sent, slot, tries);
}

/** Keeps or gives back the slot. @returns as `tryOnce` */
function afterAnswer(
	item: Item,
	keys: ItemKeys,
	sent: Result<Made>,
	slot: Slot,
	tries: Tries,
): Result<Held> | undefined {
	const { settings, spec, workspace } = item;
	const { credits, clock } = workspace;
	const waitsForCredits = settings.onInsufficientCredits === 'wait';
	if (sent.ok) {
		slot.accepted(sent.value.job);
		// What never waits for credits may be cheap, and says nothing to those that do.
		if (waitsForCredits) credits.succeeded(tries.lackedCredits !== undefined);
		return ok({ ...sent.value, slot });
	}
	if (spec.takesSlot && refusalOf(sent) === 'throttled') {
		slot.refused(sent.failure.kind === 'status' ? sent.failure.hintMs : undefined);
		tries.refusals += 1;
		// While others get slots, waiting for one has no end of its own.
		const now = clock.monotonic();
		const isLate = now - (tries.refusedAt ??= now) >= Math.min(GIVE_UP_MS, settings.waitTimeoutMs);
		return tries.refusals >= MAX_REFUSALS && isLate ? sent : undefined;
	}
	if (isOutOfCredits(sent) && waitsForCredits) {
		slot.release();
		credits.refused();
		Object.assign(tries, { lackedCredits: sent, since: undefined });
		keys.startAtFirst();
		return undefined;
	}
	// Before the next item gets the turn, or the slot: it would run into the same refusal.
	halt(item, sent);
	slot.release();
	return sent;
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
	keys: ItemKeys,
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
		recordEvent(memory, eventOf(result, item, keys, attempt));
		keys.noteUse(attempt);
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
		if (!response.ok) return response;
		const job = { ...response.value, object: response.value.object ?? spec.object };
		return ok({ job, isOver: isPlanOnly(job, status) });
	} finally {
		for (const dispose of disposals) dispose();
	}
}

/** What the answer to a creation means for the item. */
function eventOf(result: SendResult, { spec }: Item, keys: ItemKeys, attempt: number): ItemEvent {
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
	const { nothingDone, again, refusal } = meaningOf(status);
	if (!nothingDone) return { kind: 'outcomeUnknown' };
	if (again !== 'never') return { kind: 'noEffect' };
	// A gateway may have let the request through before it refused the response.
	if (!isAnswerOfService(result)) return { kind: 'outcomeUnknown' };
	return { kind: 'refused', nextKey: keys.after(attempt, refusal) };
}

/** A plan that waits for approval. Specification: Operation details, POST /agents/runs. */
const isPlanOnly = (job: Resource, status: number): boolean =>
	job.object === 'agent_run' && (status === 201 || typeof job.auto_approval_error === 'string');

/** Waits for the end of a job if that is wanted, and records it. */
async function follow(item: Item, keys: ItemKeys, held: Held): Promise<Result<Resource>> {
	const { settings, batch, itemIndex, memory, spec } = item;
	const { isOver, slot } = held;
	const seen = isOver ? ok(held.job) : await lookAt(item, keys, held);
	const job = seen.ok ? seen.value : held.job;
	const state = isOver ? 'good' : jobState(job, settings.terminalStatuses);
	if (!seen.ok || state === 'running') {
		slot?.leave();
		return seen;
	}
	slot?.release();
	batch.addJob(itemIndex, job, item.part);
	if (state === 'good') {
		recordEvent(memory, { kind: 'jobSucceeded', resource: rememberedResource(spec, job) });
		return ok(job);
	}
	keys.noteFailure();
	// What approves or reviews a run makes no new one.
	if (!spec.endpoint.path.includes('{id}')) recordEvent(memory, { kind: 'jobFailed' });
	return toResult(job, settings.terminalStatuses);
}

/** A job as it ends or, without Wait for Completion, as it is now. Not `async`: thousands may wait. */
function lookAt(item: Item, keys: ItemKeys, { job, slot }: Held): Promise<Result<Resource>> {
	const { host, workspace, settings } = item;
	const { terminalStatuses, waitForCompletion, waitTimeoutMs } = settings;
	const earlier = slot ? keys.mayBeEarlier(job.id) : 'never';
	if (waitForCompletion) {
		const options = { terminalStatuses, isOld: earlier === 'likely' };
		return workspace.poller.wait(host.channel, job, waitTimeoutMs, options);
	}
	if (earlier === 'never') return Promise.resolve(ok(job));
	const reading = inTurn(item, async (one) => await readKnownJob(one, job as JobReference));
	return reading.then((read) => ok(read.ok ? read.value.known : job));
}

/** The largest resource that is remembered in full, in characters of JSON. */
const MAX_CHARACTERS = 2_000;

/**
 * The resource as it is remembered after success; `undefined` for one that may still change, which
 * is read again. As text, so that nothing downstream can modify it.
 */
function rememberedResource(spec: OperationSpec, job: Resource): string | undefined {
	const mayChange = spec.output === 'job' && job.object === 'agent_run';
	if (spec.holdsSecret || mayChange) return undefined;
	const text = JSON.stringify(job);
	return text.length <= MAX_CHARACTERS ? text : undefined;
}
