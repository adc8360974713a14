import { fail, ok, type Failed, type Result } from '../base/result';
import { isResource, type Channel, type Resource } from '../base/types';
import {
	AGENT_STATUS,
	filesIn,
	jobState,
	failureOf,
	type TerminalStatuses,
} from '../transport/jobState';
import type { SlotKind } from '../transport/jobSlots';
import { refusalOf } from '../transport/statuses';
import { notApproved } from './approval';
import { askBook, awaitCredits, beginToSpend, noteOver, withBudget, withinLimits } from './cap';
import { aloneIfUnpriced, askToday } from './day';
import { collect, expiryOf, withOutputs } from './outputs';
import { exchange, hasKeyExpired, type CreationRequest } from './exchange';
import { asksForFirstModel, withFirstModel } from './firstModel';
import { idempotencyOf, keyInUse, type Idempotency } from './idempotency';
import type { Item, OperationSpec, Outcome } from './item';
import { forgetKey, isPaidKey } from './paidKeys';
import type { Heard, Made, Progress } from './progress';
import { readKnownJob } from './readJob';
import { inTurn, noteFailure, refusedAlike, whyStopped } from './run';
import { catchUp, factsOf, rememberContent } from './sameRequest';
import { nextStep, recordEvent } from './state';
import { judge } from './thereBefore';
import { doubtFiles, openRequest, uploadAll, type OpenedRequest } from './uploads';

/*
 * What happens to one item that creates something, from top to bottom: its files are read; is its job known,
 * by itself or as what was lost? its files are sent; credits, a slot, the request, what the answer means, the
 * wait for the end, the download.
 *
 * A creation is sent again for these reasons (`docs/limits.md` has the times):
 *
 *  1. Nobody knows what was done: unchanged, under the same key, ever more rarely, as long as Wait Timeout
 *     lasts (`RETRIES` in `transport/client.ts`; one that costs nothing for 90 s, one that somebody else has
 *     answered for 8 s), and by each next try of the node in the same way (`state.ts`). Without a key, never.
 *  2. It certainly was not carried out. The service cannot be reached: for half a minute (`RETRIES`). After a
 *     429: with the next slot, as long as Wait Timeout lasts since the first one in a row (`settleSlot` in
 *     `answer.ts`); where it needs none, as `RETRIES` says. After a 402, under Wait for Top-Up: one creation
 *     of the workspace every 20 s, as long as Credit Wait Timeout lasts (`transport/creditGate.ts`).
 *  3. Its key leads to nothing, which a key that others share may: to a job that had failed before, at once
 *     under the next one, at most 50 times; to a 402, which may be an old one, once under a key of its own
 *     (`SameRequest` in `idempotency.ts`).
 *  4. An earlier try of the node is over, because it was refused or its job has failed, or the user has
 *     changed the request: once anew.
 */

/** Which slot the request of an item needs. */
export function slotKindOf({
	spec,
	request,
}: Pick<Item, 'spec' | 'request'>): SlotKind | undefined {
	const { takesSlot } = spec;
	return typeof takesSlot === 'function' ? takesSlot(request.body) : takesSlot;
}

/** What a try starts with: a job that is known, or a request to send. */
type Start = { known: Made } | { request: CreationRequest };

/**
 * Creates what an item asks for and, if wanted, waits for its job to end and fetches its files.
 * @returns what was created; a job that fails is a failure that carries the job
 */
export async function create(item: Item): Promise<Result<Outcome>> {
	const opened = await openRequest(item);
	if (!opened.ok) return opened;
	const creation = new Creation(item, opened.value);
	return creation.toItsEnd().catch((error) => creation.breakOff(error));
}

/** One item until its job, or the end of its job and its files. */
class Creation {
	private readonly content: string;
	private readonly idempotency: Idempotency;
	/** Whether its model is the one that the workspace lists first. */
	private readonly asksForModel: boolean;
	private readonly progress: Progress;
	/** Fires when nothing may be sent for the item that has not been sent yet. */
	private readonly stop: AbortSignal;

	constructor(
		private readonly item: Item,
		private readonly opened: OpenedRequest,
	) {
		const { run, giveUp } = item;
		this.content = opened.requestFingerprint;
		this.idempotency = idempotencyOf(item, this.content);
		this.asksForModel = asksForFirstModel(item.request);
		this.progress = {
			item,
			content: this.content,
			idempotency: this.idempotency,
			beganAt: item.workspace.clock.monotonic(),
			place: { kind: slotKindOf(item), refusals: 0 },
			out: { since: 0 },
			charge: { isNew: false, counted: 0 },
			credits: {},
		};
		this.stop = giveUp ? AbortSignal.any([run.stop, giveUp]) : run.stop;
		const { memory, request, whole } = item;
		const { path, body } = request;
		const costsNothing = () => this.isRepetition({ path, body, isRepeat: false });
		whole?.parts.push({ memory, body, costsNothing });
	}

	/** Whatever of our own has thrown, its slot is for others. */
	breakOff(error: unknown): never {
		this.progress.place.slot?.leave();
		throw error;
	}

	/** From its key to its job, and on to the files if they are wanted. */
	async toItsEnd(): Promise<Result<Outcome>> {
		const { item } = this;
		const unfit = await this.begin();
		if (unfit) return unfit;
		for (;;) {
			const obtained = await this.obtainJob();
			if (!obtained.ok) {
				const refusal = refusalOf(obtained);
				const isOwn = obtained.endpoint === undefined;
				if (isOwn && (refusal === 'invalid' || refusal === 'notFound')) this.doubtFiles();
				return whyStopped(item, obtained);
			}
			const made = await judge(this.progress, obtained.value);
			if ('again' in made) continue;
			item.run.addJob(item.itemIndex, made.job, item.part);
			// Not awaited here: thousands may wait for their jobs, and each suspended call costs 400 bytes.
			return this.follow(made);
		}
	}

	/** What has to be settled before the first request. @returns why the item is not sent at all */
	private async begin(): Promise<Failed | undefined> {
		const { item, idempotency } = this;
		const { memory, spec } = item;
		const rejected = idempotency.take?.();
		if (rejected) return rejected;
		if (idempotency.sameBy === 'nothing') this.startOver();
		// Before the state decides: what was lost of the same request becomes the state of the item.
		if (memory.content === undefined) rememberContent(item, this.content, idempotency);
		else catchUp(item, idempotency);
		const { check } = spec;
		if (memory.state.is !== 'new' || check === undefined) return undefined;
		const checked = await inTurn(item, check);
		if (!checked.ok) return checked;
		const said = [item.warning, checked.value].filter((one) => one !== undefined);
		if (said.length > 0) item.warning = said.join('. ');
		return undefined;
	}

	/** Why the item need not be sent: others that ask for the same were refused. */
	private whyRefused(): Failed | undefined {
		return this.item.run.refusals.areNone ? undefined : refusedAlike(this.item);
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
		const { item, opened, progress, stop } = this;
		const { host, memory } = item;
		const channel = { ...host.channel, signal: stop };
		for (;;) {
			// What sends files, reads a known job or asks for the first model goes in turn with others of the
			// run.
			const isNewAndComplete =
				memory.state.is === 'new' && opened.sources.size === 0 && !this.asksForModel;
			const decideFor = async (one: Item) => await this.decide(one);
			const start = isNewAndComplete ? await decideFor(item) : await inTurn(item, decideFor);
			if (!start.ok) return start;
			if ('known' in start.value) return ok(start.value.known);
			const { request: sent } = start.value;
			const lacking = this.waitsForCredits(sent)
				? await awaitCredits(item, channel, progress.credits)
				: undefined;
			if (lacking) return lacking;
			const heard = await this.takeTurn(sent, channel);
			if (!('again' in heard)) return heard;
		}
	}

	/**
	 * Under Wait for Top-Up, a request waits for its turn to try once credits lack: not for what costs
	 * nothing, and not again only because its key has led to nothing.
	 */
	private waitsForCredits(request: CreationRequest): boolean {
		const isSet = this.item.settings.onInsufficientCredits === 'wait';
		return isSet && this.progress.again !== 'otherKey' && !this.isRepetition(request);
	}

	/**
	 * Decides by the state of the item. Sends nothing but files, and what it takes to read a known job or a
	 * first model.
	 */
	private async decide(item: Item): Promise<Result<Start>> {
		const { content, idempotency, opened } = this;
		const { memory, origin, request } = item;
		const step = nextStep(memory.state, factsOf(item, content, idempotency));
		const known = (job: Resource) => ok({ known: { job, isOver: memory.state.is === 'done' } });
		switch (step.do) {
			case 'reject':
				return keyInUse(step.job);
			case 'warn':
				recordEvent(memory, { kind: 'userWarned', execution: origin.owner.execution });
				return fail({ kind: 'possibleDuplicate', because: step.because });
			case 'output':
			case 'read': {
				const kept = step.do === 'output' ? this.stillUsable(step.resource) : undefined;
				if (kept) return known(kept);
				const read = await readKnownJob(item, step.job);
				return read.ok ? known(read.value) : read;
			}
			case 'resend': {
				const { key, path, body } = step.sent;
				return ok({ request: { key, path, body, isRepeat: true } });
			}
			case 'send': {
				const asked = { path: request.path, body: request.body, isRepeat: false };
				const unfit = this.isRepetition(asked) ? undefined : this.whyRefused();
				if (unfit) return unfit;
				if (step.startsOver) this.startOver();
				rememberContent(item, content, idempotency);
				let body: Result<unknown> = ok(request.body);
				if (opened.sources.size > 0) body = await uploadAll(item, opened.sources, idempotency);
				if (body.ok && this.asksForModel) body = await withFirstModel(item, body.value);
				if (!body.ok) return body;
				return ok({ request: { ...asked, body: body.value } });
			}
		}
	}

	/** A resource that is remembered, if its links work for a while yet. */
	private stillUsable(remembered: string): Resource | undefined {
		const resource: unknown = JSON.parse(remembered);
		const soon = this.item.workspace.clock.now() + 60_000;
		if (!isResource(resource)) return undefined;
		return filesIn(resource).every((file) => expiryOf(file) > soon) ? resource : undefined;
	}

	/**
	 * Sends a creation as soon as it has a slot; under a limit of credits one at a time, each once the price
	 * of the one before is known. Those behind it hold no slot meanwhile. Not `async`: thousands may wait.
	 */
	private takeTurn(request: CreationRequest, channel: Channel): Promise<Heard> {
		const { item } = this;
		const { credits, spec } = item;
		if (!this.isLimited) return this.takeSlot(request, channel);
		const turn = credits.turn.run(channel, async () => {
			// In turn too: if the service has forgotten its key, no other follows.
			if (this.isRepetition(request)) return await this.takeSlot(request, channel);
			const priced = { endpoint: spec.endpoint, body: request.body };
			await askBook(item, [priced]);
			const send = async () => await this.takeSlot(request, channel);
			return await aloneIfUnpriced(item, priced, channel, send);
		});
		return turn.then((heard) => heard ?? fail({ kind: 'cancelled' }));
	}

	private get isLimited(): boolean {
		const { maxCredits, maxCreditsPerDay } = this.item.settings;
		return maxCredits < Infinity || maxCreditsPerDay < Infinity;
	}

	private async takeSlot(request: CreationRequest, channel: Channel): Promise<Heard> {
		const { item, progress } = this;
		const { settings, spec, workspace } = item;
		const { place } = progress;
		place.waitsSince ??= workspace.clock.monotonic();
		const acquired = await workspace.slots.acquire(channel, {
			timeoutMs: settings.waitTimeoutMs,
			takesSlot: place.kind ?? false,
			since: place.waitsSince,
		});
		if (!acquired.ok) return acquired;
		place.slot = acquired.value;
		// Only now: it may have waited for hours, in which others have spent, or for the next day.
		if (this.isLimited && !this.isRepetition(request))
			await askToday(item, { endpoint: spec.endpoint, body: request.body });
		return await this.send(request, channel);
	}

	/** Sends a creation that has a slot. */
	private async send(request: CreationRequest, channel: Channel): Promise<Heard> {
		const { item, progress } = this;
		const { charge, place } = progress;
		const { slot } = place;
		if (this.hasWaitedTooLong(request)) {
			slot?.release();
			place.waitsSince = undefined;
			progress.again = 'waited';
			return { again: 'waited' };
		}
		const sent = this.sealed(request);
		const unfit = this.isRepetition(request)
			? undefined
			: (this.whyRefused() ?? this.whyTooMuch(sent.body));
		if (unfit) {
			noteFailure(item, unfit);
			slot?.release();
			return unfit;
		}
		beginToSpend(item, charge, sent.body, sent.key);
		return await exchange(progress, sent, channel);
	}

	private whyTooMuch(body: unknown): Failed | undefined {
		return this.isLimited ? withinLimits(this.item, body) : undefined;
	}

	/**
	 * It may have waited for a slot for hours: then its key may no longer show what became of it, or the
	 * credits have run out, and it waits for its turn to try.
	 */
	private hasWaitedTooLong(request: CreationRequest): boolean {
		const { item, progress } = this;
		if (request.isRepeat && hasKeyExpired(item)) return true;
		const { wasFree = false } = progress.credits;
		return wasFree && item.workspace.credits.lacksCredits && this.waitsForCredits(request);
	}

	/** A request with the body and the key that it is sent with, as of now: credits are spent meanwhile. */
	private sealed(request: CreationRequest): CreationRequest {
		if (request.isRepeat) return request;
		const { item, idempotency } = this;
		const body = this.isLimited
			? withBudget(item, request.body, idempotency.sharedRequest !== undefined)
			: request.body;
		const isFilledIn = body !== request.body || this.asksForModel;
		return { ...request, body, key: idempotency.keyOf(isFilledIn ? body : undefined) };
	}

	/**
	 * Whether it is known that a request would only be repeated, for nothing: limits are there for what would
	 * be paid for now.
	 */
	private isRepetition(request: CreationRequest): boolean {
		if (!this.idempotency.isShared) return false;
		return isPaidKey(this.progress, this.sealed(request).key);
	}

	/** What the item comes to: its job, with the files of one that has ended well. */
	private async follow(made: Made): Promise<Result<Outcome>> {
		const ended = await this.awaitEnd(made);
		if (!ended.ok) return ended;
		const { item } = this;
		const { job, isGood } = ended.value;
		const unapproved = job.object === 'agent_run' ? notApproved(item, job) : undefined;
		if (unapproved) return unapproved;
		if (!isGood) return ok({ resources: [job] });
		return await collect(item, await withOutputs(item, job));
	}

	/** Waits for the end of a job if that is wanted, records it and frees its slot. */
	private async awaitEnd(made: Made): Promise<Result<{ job: Resource; isGood: boolean }>> {
		const { item } = this;
		const { slot } = this.progress.place;
		const { settings, run, itemIndex, memory, spec } = item;
		const terminalStatuses = this.endsOf(made);
		const isJob = spec.output === 'job' && !made.isOver;
		const isAwaited = isJob && settings.waitForCompletion;
		const seen = isAwaited ? await this.wait(made.job, terminalStatuses) : ok(made.job);
		const job = seen.ok ? seen.value : made.job;
		const state = isJob ? jobState(job, terminalStatuses) : 'good';
		if (!seen.ok || state === 'running') {
			slot?.leave();
			return seen.ok ? ok({ job, isGood: false }) : seen;
		}
		slot?.release();
		noteOver(this.progress.charge, job);
		run.addJob(itemIndex, job, item.part);
		if (state === 'good') {
			recordEvent(memory, { kind: 'jobSucceeded', resource: rememberedResource(spec, job) });
			return ok({ job, isGood: true });
		}
		run.failed(job.id);
		forgetKey(this.progress);
		// What approves or reviews a run makes no new one.
		if (spec.endpoint.does === 'creates') recordEvent(memory, { kind: 'jobFailed' });
		this.doubtFiles();
		return failureOf(job);
	}

	private doubtFiles(): void {
		doubtFiles(this.item, this.opened.sources, this.idempotency);
	}

	/** The statuses that end the wait; of a run that has been approved, that of its plan does not. */
	private endsOf({ isApproved }: Made): TerminalStatuses | undefined {
		const { terminalStatuses } = this.item.settings;
		if (!isApproved || terminalStatuses === undefined) return terminalStatuses;
		const { good, bad } = terminalStatuses;
		return { good: good.filter((status) => status !== AGENT_STATUS.planned), bad };
	}

	/** Not `async`: thousands may wait. */
	private wait(
		job: Resource,
		terminalStatuses: TerminalStatuses | undefined,
	): Promise<Result<Resource>> {
		const { host, settings, workspace } = this.item;
		const { waitTimeoutMs } = settings;
		return workspace.poller.wait(host.channel, job, waitTimeoutMs, { terminalStatuses });
	}
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
