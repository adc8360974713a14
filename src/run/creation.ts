import { IDEMPOTENCY_HEADER } from '../contract';
import { fail, ok, type Failed, type Result } from '../base/result';
import {
	isResource,
	type ApiRequest,
	type ApiResponse,
	type Channel,
	type Resource,
} from '../base/types';
import { onAbort } from '../base/abort';
import { mustHaveId } from '../service/client';
import { meaningOf, refusalOf } from '../service/statuses';
import { filesIn, jobState, toResult } from '../service/jobState';
import type { Slot } from '../service/jobSlots';
import { GIVE_UP_MS } from '../service/tuning';
import { notApproved } from './agent';
import {
	awaitCredits,
	countCredits,
	isOutOfCredits,
	withinMaxCredits,
	type CreditWait,
} from './credits';
import { collect, expiryOf, withOutputs } from './files';
import { asksForFirstModel, withFirstModel } from './firstModel';
import { slotKindOf, type Item, type OperationSpec, type Outcome } from './item';
import { isKeyPersistent, ItemKeys, keyInUse } from './keys';
import { readKnownJob } from './read';
import { halt, inTurn, whyStopped } from './run';
import { isKeyExpired, isOutcomeOpen, nextStep, recordEvent, type ItemEvent } from './state';
import { openRequest, uploadAll, type OpenedRequest } from './uploads';

/*
 * What happens to one item that creates something, from top to bottom: its files are read, is its job known? its files are sent,
 * credits, a slot, the request, what the answer means, the wait for the end, the download.
 *
 * A creation is sent again for these reasons and no others.
 *
 * Unchanged, under the same key (with Off without one, and then only what certainly was not carried out):
 *  1. no answer, or one that leaves open what was done: an unusable 2xx, a 5xx, 408, 409, 425, a page of a gateway; no
 *     connection; a 429 of one without a job slot. `service/client.ts` says how often
 *  2. a 429 of one that takes a job slot: with the next slot (`settleSlot`)
 *  3. what was sent has no final answer from an earlier try of the node, or n8n has lost what a former execution had of it,
 *     or only the answer shows a signing secret (`state.ts`, `openRequests.ts`)
 *
 * Made anew: what was sent is settled, or the user was warned that it is not (4), or wants no key (Off). On Retries takes
 * its next key, except after a 422; Own Key keeps its key; Off has none. Same Request begins with the first key of its
 * content in each try of the node, and goes on from there.
 *  4. an earlier try is over: refused, its job has failed, its key has expired, or the user has changed the request;
 *     with Off each try of the node (`state.ts`, `begin`)
 *  5. the key leads to nothing: with Same Request to a failed job or a 402 (`look`, `triesOtherKeyAfter402`); where it is
 *     that of the execution, to three 429 with a slot, or, in the next try, to those of the client without one
 *     (`countThrottling`)
 *  6. a 402 under Wait for Top-Up, once there may be credits (`settleCredits`); unchanged if that 402 leaves the
 *     outcome open
 */

/** Refused with 429 so often, and for as long as it may wait for a slot, a creation is given up. */
const MAX_REFUSALS = 10;

/** After so many 429 under one key, the service may keep them for the key. */
const REFUSALS_OF_ONE_KEY = 3;

/** The request of a creation, whose key has been chosen. */
interface CreationRequest extends Pick<ApiRequest, 'path' | 'body'> {
	key: string | undefined;
}

/** A job, as it was last seen. */
interface Made {
	job: Resource;
	/** Whether there is nothing to wait for, whatever its status. */
	isOver: boolean;
}

/** What a try starts with: a job that is known, or a request to send. */
type Start = { known: Made } | { request: CreationRequest };

/**
 * Creates what an item asks for and, if wanted, waits for its job to end and fetches its files.
 * @returns what was created; a job that fails is a failure that carries the job
 */
export async function create(item: Item): Promise<Result<Outcome>> {
	const opened = await openRequest(item);
	return opened.ok ? new Creation(item, opened.value).toItsEnd() : opened;
}

/** One item until its job, or the end of its job and its files. */
class Creation {
	private readonly keys: ItemKeys;
	/** Fires when nothing may be sent for the item that has not been sent yet. */
	private readonly stop: AbortSignal;
	/** The slot that the job holds: a known job holds none. */
	private slot: Slot | undefined;
	/** When its wait for a slot began, on the monotonic clock. */
	private waitsSince: number | undefined;
	/** How often it was refused with 429, and when first, on the monotonic clock. */
	private refusals = 0;
	private refusedSince: number | undefined;
	private readonly credits: CreditWait = {};
	/** Whether the next request differs from the refused one by its key only. What that has waited for, it does not wait for again. */
	private hasOnlyChangedKey = false;

	constructor(
		private readonly item: Item,
		private readonly opened: OpenedRequest,
	) {
		const { run, giveUp, host } = item;
		this.keys = new ItemKeys(item, opened.requestFingerprint);
		const stop = run.stopSignal(host.channel.signal);
		this.stop = giveUp ? AbortSignal.any([stop, giveUp]) : stop;
	}

	/** From its key to its job, and on to the files if they are wanted. A job that fails is a failure that carries the job. */
	async toItsEnd(): Promise<Result<Outcome>> {
		const { item } = this;
		const unfit = await this.begin();
		if (unfit) return unfit;
		for (;;) {
			const obtained = await this.obtainJob();
			if (!obtained.ok) return whyStopped(item, obtained);
			const made = await this.look(obtained.value);
			if (!made) continue;
			item.run.addJob(item.itemIndex, made.job, item.part);
			// Not awaited here: thousands may wait for their jobs, and each suspended call costs 400 bytes.
			return this.follow(made);
		}
	}

	/** What has to be settled before the first request. @returns why the item is not sent at all */
	private async begin(): Promise<Failed | undefined> {
		const { item, keys } = this;
		const { run, memory, spec } = item;
		const rejected = keys.claim();
		if (rejected) return rejected;
		run.addCreation(item);
		if (keys.isNone) this.startOver();
		// Before the state decides: what a former execution has left open becomes the state of a new item.
		if (memory.content === undefined) keys.adopt();
		const { check } = spec;
		if (memory.state.is !== 'new' || check === undefined) return undefined;
		const checked = await inTurn(item, async (one) => (await check(one)) ?? ok(undefined));
		return checked.ok ? undefined : checked;
	}

	/** What follows is another request than the one that the state of the item is about. */
	private startOver(): void {
		const { memory } = this.item;
		recordEvent(memory, { kind: 'startsOver' });
		// What the former request may have reserved stays in the sum.
		delete memory.expectedCredits;
	}

	/** Gets the job of the item: one that is known, or a new one as soon as there are credits and a slot. */
	private async obtainJob(): Promise<Result<Made>> {
		const { item, opened, stop } = this;
		const { host, memory, request } = item;
		const channel = { ...host.channel, signal: stop };
		for (;;) {
			// What sends files, reads a known job or asks for the first model goes in turn with others of the run.
			const isNewAndComplete =
				memory.state.is === 'new' && opened.sources.size === 0 && !asksForFirstModel(request);
			const decideFor = async (one: Item) => await this.decide(one);
			const start = isNewAndComplete ? await decideFor(item) : await inTurn(item, decideFor);
			if (!start.ok) return start;
			if ('known' in start.value) return ok(start.value.known);
			const lacking = this.hasOnlyChangedKey
				? undefined
				: await awaitCredits(item, channel, this.credits);
			if (lacking) return lacking;
			const made = await this.takeTurn(start.value.request, channel);
			if (made) return made;
		}
	}

	/** Decides by the state of the item. Sends nothing but files, and what it takes to read a known job or a first model. */
	private async decide(item: Item): Promise<Result<Start>> {
		const { keys } = this;
		const { memory, origin, workspace, request } = item;
		const step = nextStep(memory.state, keys.facts);
		const known = (job: Resource) => ok({ known: { job, isOver: memory.state.is === 'done' } });
		switch (step.do) {
			case 'reject':
				return keyInUse(step.job);
			case 'warn':
				recordEvent(memory, { kind: 'userWarned', execution: origin.executionId });
				return fail({ kind: 'possibleDuplicate', because: step.because });
			case 'output': {
				const resource: unknown = JSON.parse(step.resource);
				// Its links have to work for a while yet.
				const soon = workspace.clock.now() + 60_000;
				if (isResource(resource) && filesIn(resource).every((file) => expiryOf(file) > soon))
					return known(resource);
				const read = await readKnownJob(item, step.job);
				return read.ok ? known(read.value) : read;
			}
			case 'read': {
				const read = await readKnownJob(item, step.job);
				return read.ok ? known(read.value) : read;
			}
			case 'resend': {
				const { key, path, body } = step.sent;
				return ok({ request: { key, path, body } });
			}
			case 'send': {
				if (step.startsOver) this.startOver();
				keys.adopt();
				const uploaded = await uploadAll(item, this.opened.sources);
				const body = uploaded.ok ? await withFirstModel(item, uploaded.value) : uploaded;
				if (!body.ok) return body;
				return ok({ request: { key: keys.current, path: request.path, body: body.value } });
			}
		}
	}

	/**
	 * Sends a creation as soon as it has a slot; under Max Credits one at a time, each once the price of
	 * the one before is known. Those behind it hold no slot meanwhile. Not `async`: thousands may wait.
	 * @returns what has come of it; `undefined` if it is to be tried again
	 */
	private takeTurn(request: CreationRequest, channel: Channel): Promise<Result<Made> | undefined> {
		const { credits, settings } = this.item;
		if (settings.maxCredits === Infinity) return this.takeSlot(request, channel);
		const turn = credits.turn.run(channel, async () => await this.takeSlot(request, channel));
		// A turn that never came gives `undefined` as well.
		return turn.then((made) =>
			channel.signal?.aborted && !made ? fail({ kind: 'cancelled' }) : made,
		);
	}

	/** @returns as `takeTurn` */
	private async takeSlot(
		request: CreationRequest,
		channel: Channel,
	): Promise<Result<Made> | undefined> {
		const { settings, workspace } = this.item;
		this.waitsSince ??= workspace.clock.monotonic();
		const acquired = await workspace.slots.acquire(channel, {
			timeoutMs: settings.waitTimeoutMs,
			takesSlot: slotKindOf(this.item) ?? false,
			since: this.waitsSince,
		});
		if (!acquired.ok) return acquired;
		this.slot = acquired.value;
		return await this.send(request, channel);
	}

	/** Sends a creation that has a slot. @returns as `takeTurn` */
	private async send(
		request: CreationRequest,
		channel: Channel,
	): Promise<Result<Made> | undefined> {
		const { item } = this;
		const { workspace } = item;
		// It may have waited for hours: then the key may no longer show what became of the request, or the
		// credits have run out, and it waits for its turn to try.
		const hasRunOut = this.credits.wasFree && workspace.credits.lacksCredits;
		if (this.hasKeyExpired || (hasRunOut && !this.hasOnlyChangedKey)) {
			this.slot?.release();
			this.waitsSince = undefined;
			return undefined;
		}
		const allowed = withinMaxCredits(item, request.body);
		if (allowed.ok) return await this.exchange(request, channel, allowed.value);
		halt(item, allowed);
		this.slot?.release();
		return allowed;
	}

	/** Whether the key of an open outcome can no longer settle it. */
	private get hasKeyExpired(): boolean {
		const { memory, workspace } = this.item;
		const { state } = memory;
		return isOutcomeOpen(state) && isKeyExpired(state.firstSentAt, workspace.clock.now());
	}

	/**
	 * Sends a creation until there is a final answer. That it is sent is recorded before, so that a run
	 * that dies in between can pick it up. Once it is out, only a cancel ends the wait for its answer, which
	 * is heard all the same: the request may be carried out, and its job takes a slot.
	 */
	private async exchange(
		{ key, path }: CreationRequest,
		channel: Channel,
		body: unknown,
	): Promise<Result<Made> | undefined> {
		const { item, keys } = this;
		const { workspace, memory, host, request } = item;
		const cancel = host.channel.signal;
		const ending = signalUntilOut(cancel, channel.signal);
		const onSending = () => {
			if (ending.isOut()) return;
			ending.goesOut();
			recordEvent(memory, { kind: 'sending', key, path, body, now: workspace.clock.now() });
			if (memory.state.is === 'sent') keys.noteSending(memory.state);
		};
		const headers: Record<string, string> = key === undefined ? {} : { [IDEMPOTENCY_HEADER]: key };
		const answer = workspace.client.request(
			{ ...host.channel, signal: ending.signal },
			{ method: 'POST', path, query: request.query, body, headers, outlivesCancel: true },
			{
				onSending,
				replayable: () => key !== undefined && !this.hasKeyExpired,
				return429: slotKindOf(item) !== undefined,
				outcomeOpen: isOutcomeOpen(memory.state),
				validate: mustHaveId,
			},
		);
		const heard = answer.then((final) => this.hear(final, body));
		let forgetCancel = () => {};
		const cancelled = new Promise<Failed>((resolve) => {
			const end = () => resolve(fail({ kind: 'cancelled', outcomeUnknown: ending.isOut() }));
			forgetCancel = onAbort(cancel, end);
		});
		const first = await Promise.race([heard, cancelled]);
		forgetCancel();
		ending.dispose();
		// Nobody waits for what it makes.
		if (cancel?.aborted) void heard.then((made) => made?.ok && this.slot?.leave());
		return first;
	}

	/**
	 * The one place that hears the final answer to a creation: first for the state of the item, which all else asks, then for
	 * keys, credits and the slot.
	 * @returns as `send`
	 */
	private hear(answer: Result<ApiResponse>, body: unknown): Result<Made> | undefined {
		const { item } = this;
		const made = answer.ok ? ok(this.madeOf(answer.value)) : answer;
		const wasSent = item.memory.state.is === 'sent';
		recordEvent(item.memory, eventOf(made, item.spec));
		if (wasSent) this.keys.noteAnswer();
		const triesNextKey = !made.ok && this.triesOtherKeyAfter402(made);
		if (!made.ok) this.countThrottling(made);
		this.hasOnlyChangedKey = triesNextKey;
		countCredits(item, body, made.ok ? ok(made.value.job) : made);
		const triesAfterTopUp = this.settleCredits(made, triesNextKey);
		const triesWithSlot = this.settleSlot(made);
		if (triesNextKey || triesAfterTopUp || triesWithSlot) return undefined;
		if (!made.ok) halt(item, made);
		return made;
	}

	private madeOf({ status, body }: ApiResponse): Made {
		const resource = body as Resource;
		const job = { ...resource, object: resource.object ?? this.item.spec.object };
		return { job, isOver: isPlanOnly(job, status) };
	}

	/** Takes the next key where this one has led to a 402. @returns whether it is sent again at once */
	private triesOtherKeyAfter402(refused: Failed): boolean {
		const isSettled = this.item.memory.state.is === 'new';
		return isOutOfCredits(refused) && isSettled && this.keys.giveWay('noCredits');
	}

	/** Counts a 429. A service may keep it for the key, and nothing was done, so the next attempt may take another key. */
	private countThrottling(refused: Failed): void {
		const { item, keys } = this;
		if (refusalOf(refused) !== 'throttled') return;
		this.refusals += 1;
		if (isOutcomeOpen(item.memory.state)) return;
		const { mayChangeAfterRefusals } = keys;
		const changesKey = mayChangeAfterRefusals && this.refusals % REFUSALS_OF_ONE_KEY === 0;
		// One without a slot the client has tried often enough: this try of the node is over.
		const isLastAttempt = slotKindOf(item) === undefined;
		if (changesKey || isLastAttempt)
			recordEvent(item.memory, { kind: 'refused', keepsKey: !mayChangeAfterRefusals });
	}

	/** Tells the waits for a top-up what came of this try. @returns whether it is tried again once there may be credits */
	private settleCredits(made: Result<Made>, triesNextKey: boolean): boolean {
		const { settings, workspace } = this.item;
		if (settings.onInsufficientCredits !== 'wait') return false;
		// Only items that wait for a top-up come here: a success of one that does not may be of a cheaper request.
		if (made.ok) workspace.credits.succeeded(this.credits.lackedCredits !== undefined);
		if (made.ok || !isOutOfCredits(made) || triesNextKey) return false;
		workspace.credits.refused();
		this.credits.lackedCredits = made;
		this.waitsSince = undefined;
		this.keys.startAgain();
		return true;
	}

	/** Keeps or gives back the slot. @returns whether it is tried again with the next one */
	private settleSlot(made: Result<Made>): boolean {
		const { item, slot } = this;
		const { clock } = item.workspace;
		if (made.ok) {
			slot?.accepted(made.value.job);
			return false;
		}
		if (!slotKindOf(item) || refusalOf(made) !== 'throttled') {
			slot?.release();
			return false;
		}
		slot?.refused(made.failure.kind === 'status' ? made.failure.hintMs : undefined);
		// While others get slots, waiting for one has no end of its own.
		this.refusedSince ??= clock.monotonic();
		const waited = clock.monotonic() - this.refusedSince;
		const isLate = waited >= Math.min(GIVE_UP_MS, item.settings.waitTimeoutMs);
		return this.refusals < MAX_REFUSALS || !isLate;
	}

	/**
	 * Under a key that other executions share, the answer may be that of an earlier one, repeated as it
	 * was. So the job is read once, at once: one that has failed by then is an earlier one's.
	 * @returns `undefined` if the next key is to be tried
	 */
	private async look(made: Made): Promise<Made | undefined> {
		const { item, keys, slot } = this;
		if (!slot || made.isOver || !isKeyPersistent(item) || item.spec.output !== 'job') return made;
		const { id, object } = made.job;
		const reference = typeof object === 'string' ? { id, object } : { id };
		const { channel } = item.host;
		// A job that cannot be read is there all the same: its item goes on, and so does the run.
		const read = await item.run.reads.run(channel, async () => await readKnownJob(item, reference));
		if (!read?.ok) return made;
		const hasFailed = jobState(read.value, item.settings.terminalStatuses) === 'bad';
		if (!hasFailed || !keys.giveWay('failedBefore')) return { ...made, job: read.value };
		slot.release();
		this.slot = undefined;
		recordEvent(item.memory, { kind: 'jobFailed' });
		return undefined;
	}

	/** What the item comes to: its job, with the files of one that has ended well. */
	private async follow(made: Made): Promise<Result<Outcome>> {
		const seen = await this.awaitEnd(made);
		if (!seen.ok) return seen;
		const { item } = this;
		const job = seen.value;
		const unapproved = notApproved(item, job);
		if (unapproved) return unapproved;
		if (item.spec.output === 'resource') return await collect(item, job);
		const isGood = jobState(job, item.settings.terminalStatuses) === 'good';
		if (!isGood) return ok({ resources: [job], files: [] });
		return await collect(item, await withOutputs(item, job));
	}

	/** Waits for the end of a job if that is wanted, records it and frees its slot. */
	private async awaitEnd(made: Made): Promise<Result<Resource>> {
		const { item, slot } = this;
		const { settings, run, itemIndex, memory, spec } = item;
		const { terminalStatuses } = settings;
		const isJob = spec.output === 'job' && !made.isOver;
		const isAwaited = isJob && settings.waitForCompletion;
		const seen = isAwaited ? await this.wait(made.job) : ok(made.job);
		const job = seen.ok ? seen.value : made.job;
		const state = isJob ? jobState(job, terminalStatuses) : 'good';
		if (!seen.ok || state === 'running') {
			slot?.leave();
			return seen;
		}
		slot?.release();
		run.addJob(itemIndex, job, item.part);
		if (state === 'good') {
			recordEvent(memory, { kind: 'jobSucceeded', resource: rememberedResource(spec, job) });
			return ok(job);
		}
		// What approves or reviews a run makes no new one.
		if (!spec.endpoint.path.includes('{id}')) this.keys.noteFailure();
		return toResult(job, terminalStatuses);
	}

	/** Not `async`: thousands may wait. */
	private wait(job: Resource): Promise<Result<Resource>> {
		const { host, settings, workspace } = this.item;
		const { terminalStatuses, waitTimeoutMs } = settings;
		return workspace.poller.wait(host.channel, job, waitTimeoutMs, { terminalStatuses });
	}
}

/**
 * The signal of one creation. `stop` fires it until the first attempt goes out; from then on only `cancel` does,
 * that of the execution, as the request may be carried out.
 */
function signalUntilOut(cancel: AbortSignal | undefined, stop: AbortSignal | undefined) {
	const ending = new AbortController();
	let isOut = false;
	const abort = () => ending.abort();
	const abortUnlessOut = () => {
		if (!isOut) abort();
	};
	const disposals = [onAbort(cancel, abort), onAbort(stop, abortUnlessOut)];
	if (stop?.aborted) abort();
	return {
		signal: ending.signal,
		isOut: () => isOut,
		goesOut() {
			isOut = true;
		},
		dispose: () => {
			for (const dispose of disposals) dispose();
		},
	};
}

/** What the final answer to a creation means for the item. */
function eventOf(made: Result<Made>, { holdsSecret, object }: OperationSpec): ItemEvent {
	if (made.ok) {
		// Only the answer itself reveals a secret, so the request is repeated rather than the resource read.
		if (holdsSecret) return { kind: 'outcomeUnknown' };
		const { job } = made.value;
		const kind = typeof job.object === 'string' ? job.object : object;
		return {
			kind: 'jobKnown',
			job: kind === undefined ? { id: job.id } : { id: job.id, object: kind },
		};
	}
	const { failure } = made;
	if (failure.kind === 'badResponse') return { kind: 'outcomeUnknown' };
	if (failure.kind === 'cancelled' || failure.kind === 'noResponse')
		return { kind: failure.outcomeUnknown ? 'outcomeUnknown' : 'noEffect' };
	if (failure.kind !== 'status' || failure.outcomeUnknown) return { kind: 'outcomeUnknown' };
	const { refusal, nothingDone, hop } = meaningOf(failure.status);
	if (refusal === 'throttled' || hop) return { kind: 'noEffect' };
	// Such as 405: it is in no contract what that has done.
	if (refusal === undefined) return { kind: 'outcomeUnknown' };
	return { kind: 'refused', keepsKey: !nothingDone };
}

/** A plan that waits for approval. Specification: Operation details, POST /agents/runs. */
const isPlanOnly = (job: Resource, status: number): boolean =>
	job.object === 'agent_run' && (status === 201 || typeof job.auto_approval_error === 'string');

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
