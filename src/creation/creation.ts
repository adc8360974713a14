import { fail, ok, type Doubt, type Failed, type Result } from '../base/result';
import { asText, isResource, type Resource } from '../base/types';
import { instancesIn } from '../base/values';
import { BinaryReference, type LocalFiles } from '../files/localFile';
import { failureOf } from '../transport/jobFailure';
import type { SlotKind } from '../transport/jobSlots';
import {
	AGENT_STATUS,
	filesIn,
	jobState,
	readerOf,
	type TerminalStatuses,
} from '../transport/jobState';
import { refusalOf, saysGone, type Refusal } from '../transport/statuses';
import { notApproved } from './approval';
import { closeEntry } from './credits/ledger';
import { withFirstModel } from './firstModel';
import {
	requestHashOf,
	idempotencyOf,
	keyInUse,
	rememberRequest,
	type Idempotency,
} from './idempotency/idempotency';
import {
	factsOf,
	hasDecided,
	isOfOther,
	nextStep,
	recordEvent,
	type AskedFor,
	type ItemState,
	type JobReference,
} from './idempotency/itemState';
import { goOnWithLost } from './idempotency/lostRequests';
import { forgetPaidKey } from './idempotency/paidKeys';
import { confirmJob } from './idempotency/replayedJob';
import type { Item, ItemOutput, Settings } from './item';
import { fetchFiles, expiryOf, withOutputs, readKnownJob } from './outputs';
import type { ObtainedJob, Progress } from './progress';
import { refusedAlike, unlessRefusedAlike, whyStopped } from './refusals';
import { withReadPermit } from './run';
import { isRepetition, sendCreation, type CreationRequest } from './sending';
import { forgetUploads, openFiles, uploadAll } from './uploads';

/*
 * What happens to one item that creates something (`create`):
 *
 * 1. Its files are read (`openFiles`), as they are a part of what is asked for.
 * 2. What was lost of the same request becomes its own (`begin`).
 * 3. It gets its job (`obtainJob`): the one that is known of it, or a new one. For that its files are sent
 *    (`newRequest`), then its request (`sendCreation`).
 * 4. The end of the job is awaited (`awaitEnd`), and its files are fetched (`afterWait`).
 *
 * A creation is sent again from three places and from no other. Why and how often, docs/development.md says
 * in one table.
 *
 * - While it is out: by `Client.request`, as `RETRIES` in `transport/retries.ts` says.
 * - In this try: by the loop in `obtainJob`, for each reason in `Again` (`progress.ts`).
 * - In the next try or a retry: as `nextStep` in `idempotency/itemState.ts` says.
 */

/**
 * Creates what an item asks for and, if wanted, waits for its job to end and fetches its files.
 * @returns what was created; a job that fails is a failure that carries the job
 */
export async function create(item: Item): Promise<Result<ItemOutput>> {
	const references = instancesIn(item.request.body, BinaryReference);
	const files = references.length > 0 ? await openFiles(item, references) : ok(NO_FILES);
	if (!files.ok) return files;
	const creation = new Creation(item, files.value);
	return creation.toItsEnd().catch((error) => creation.breakOff(error));
}

/** Shared, because thousands of items without files may wait. */
const NO_FILES: LocalFiles = new Map();

/** What a try starts with: a job that is known, or a request to send. */
type Start = { knownJob: ObtainedJob } | { request: CreationRequest };

/** Refusals that may be due to what was asked for, and so to its files. */
const ABOUT_ITSELF = new Set<Refusal | undefined>(['invalid', 'notFound', 'other']);

/** One item until its job, or the end of its job and its files. */
class Creation {
	private readonly askedFor: AskedFor;
	private readonly idempotency: Idempotency;
	/** Whether nobody has chosen its model. */
	private readonly lacksModel: boolean;
	/** Its request without the URLs of its files and without the model that is not chosen. */
	private readonly draft: CreationRequest;
	private readonly progress: Progress;

	constructor(
		private readonly item: Item,
		private readonly files: LocalFiles,
	) {
		const { userInputHash, memory, origin, request, partsOfItem } = item;
		const { path, body } = request;
		const requestHash = requestHashOf(request, files);
		this.idempotency = idempotencyOf(item, requestHash);
		this.askedFor = { requestHash, userInputHash, ownKeyHash: this.idempotency.ownKeyHash };
		this.lacksModel = item.lacksModel ?? false;
		this.draft = { path, body, isResend: false };
		this.progress = {
			item,
			requestHash,
			idempotency: this.idempotency,
			beganAt: item.workspace.clock.monotonic(),
			slotWait: { kind: slotKindOf(item), timesThrottled: 0 },
			lastRequest: { since: 0 },
			creditWait: {},
		};
		const repeatsOnly = () => isRepetition(this.progress, this.draft);
		partsOfItem?.all.push({ memory, origin, body, repeatsOnly });
	}

	/** Steps 2 to 4. */
	async toItsEnd(): Promise<Result<ItemOutput>> {
		const { item, files, idempotency, progress } = this;
		const unfit = await this.begin();
		if (unfit) return unfit;
		let made: Result<ObtainedJob>;
		try {
			made = await this.obtainJob();
		} finally {
			// However it ends: if it was tried for a top-up, others wait for the next trial.
			progress.creditWait.endTrial?.();
		}
		if (made.ok) {
			// Not awaited, so that this call does not stay suspended while the job runs.
			return this.awaitEnd(made.value);
		}
		const isOfCreation = made.endpoint === undefined;
		if (isOfCreation && ABOUT_ITSELF.has(refusalOf(made))) forgetUploads(item, files, idempotency);
		const end = whyStopped(item, made);
		// While it waited for a top-up, others have ended it for lack of credits: it has its own 402 to tell.
		const lacksCredits = end.failure.kind === 'skipped' && end.failure.lacksCredits;
		return lacksCredits ? (progress.creditWait.lackedCredits ?? end) : end;
	}

	/** What has to be settled before the first request. @returns why the item is not sent at all */
	private async begin(): Promise<Failed | undefined> {
		const { item, idempotency } = this;
		const { memory, spec } = item;
		const rejected = idempotency.claimKey?.();
		if (rejected) return rejected;
		if (idempotency.sameBy === 'nothing') recordEvent(memory, { kind: 'startsOver' });
		// Before the state decides: what was lost of the same request becomes the state of the item.
		const isFirst = memory.requestHash === undefined;
		if (isFirst) rememberRequest(item, this.askedFor, idempotency);
		if (idempotency.sameBy === 'request') goOnWithLost(item, this.askedFor.requestHash, isFirst);
		const { check } = spec;
		if (memory.state.is !== 'new' || check === undefined) return undefined;
		const checked = await withReadPermit(item, check);
		if (!checked.ok) return checked;
		const warnings = [item.warning, checked.value].filter((one) => one !== undefined);
		if (warnings.length > 0) item.warning = warnings.join('. ');
		return undefined;
	}

	/**
	 * Gets the job of the item: one that is known, or a new one as soon as there are credits and a slot.
	 * Where an answer is no end, it is decided anew what to send.
	 */
	private async obtainJob(): Promise<Result<ObtainedJob>> {
		const { item, files, progress } = this;
		const { host, memory } = item;
		for (;;) {
			// Of those that send files, read a known job or ask for the first model, a few at a time.
			const isNewAndComplete = memory.state.is === 'new' && files.size === 0 && !this.lacksModel;
			const start = isNewAndComplete
				? await this.decide(item)
				: await withReadPermit(item, async (one) => await this.decide(one));
			if (!start.ok) return start;
			if ('knownJob' in start.value) return ok(start.value.knownJob);
			const channel = { ...host.channel, signal: this.stopNow() };
			const sent = await sendCreation(progress, start.value.request, channel);
			if ('again' in sent) {
				progress.again = sent.again;
				continue;
			}
			if (!sent.ok) return sent;
			// An answer alone proves neither that its job has failed nor, under a key that may have been used
			// before, that it is a new one.
			const made = await confirmJob(progress, sent.value);
			if (!('again' in made)) return ok(made);
			progress.again = made.again;
		}
	}

	/**
	 * What stops the item, as of now: it fires when nothing may be sent for the item that is not out yet. An
	 * answer that is lost puts the item into another group, and so does what an earlier execution has lost.
	 */
	private stopNow(): AbortSignal {
		const { item } = this;
		const { stop } = item.run.groupOf(item);
		return item.giveUp ? AbortSignal.any([stop, item.giveUp]) : stop;
	}

	/**
	 * Decides by the state of the item. Sends nothing but files, and what it takes to read a known job or a
	 * first model.
	 */
	private async decide(item: Item): Promise<Result<Start>> {
		const { memory, origin, workspace } = item;
		const { execution } = origin.requester;
		const here = { now: workspace.clock.now(), execution, workspace: workspace.name };
		const step = nextStep(memory.state, factsOf(memory, this.askedFor, here));
		switch (step.do) {
			case 'send':
				return await this.newRequest(item, step.startsOver);
			case 'resend': {
				const { key, path, body } = step.sent;
				return ok({ request: { key, path, body, isResend: true } });
			}
			case 'read':
				return await this.readJob(item, step.job);
			case 'output': {
				const kept = this.stillUsable(step.resource);
				if (kept) return ok({ knownJob: { job: kept, isOver: true } });
				return await this.readJob(item, step.job);
			}
			case 'warn':
				return this.warn(item, step.because);
			case 'reject':
				return keyInUse(step.job);
		}
	}

	/** @param startsOver whether what is known is about another request, or its key has expired */
	private async newRequest(item: Item, startsOver: boolean): Promise<Result<Start>> {
		const { askedFor, draft, files, idempotency, progress } = this;
		const { executionSum, memory, request } = item;
		// Its files would go up in vain. `whyNotNow` asks this of all requests.
		const mayBeRefused = files.size > 0 && !this.lacksModel && !isRepetition(progress, draft);
		const alike = mayBeRefused ? refusedAlike(item) : undefined;
		if (alike) return alike;
		if (startsOver) {
			executionSum.acceptGuess(item);
			recordEvent(memory, { kind: 'startsOver' });
		}
		rememberRequest(item, askedFor, idempotency);
		let body: Result<unknown> = ok(request.body);
		if (files.size > 0) body = await uploadAll(item, files, idempotency);
		if (body.ok && this.lacksModel) body = await withFirstModel(item, body.value);
		if (!body.ok) return body;
		return ok({ request: { ...draft, body: body.value } });
	}

	/**
	 * The job that is known, as it is now, unless those of others could not be read. If the service does not
	 * know it, it was deleted, or the API key is that of another workspace: the user is told first, and the
	 * next execution makes a new job.
	 */
	private async readJob(item: Item, known: JobReference): Promise<Result<Start>> {
		const { memory, origin, spec, workspace } = item;
		const { path } = readerOf(known.object ?? '');
		const read = await unlessRefusedAlike(item, path, () => readKnownJob(item, known));
		if (read.ok) return ok({ knownJob: asKnown(memory.state, read.value) });
		if (!saysGone(read) || spec.endpoint.does !== 'creates') return read;
		const isElsewhere = isOfOther(memory.state, workspace.name);
		if (!hasDecided(memory.state, origin.requester.execution))
			return this.warn(item, isElsewhere ? 'jobElsewhere' : 'jobGone', known);
		recordEvent(memory, { kind: 'startsOver' });
		// In its own workspace the key that others use leads to the job that is gone.
		if (!isElsewhere) this.idempotency.tryNextKey?.('gone');
		return await this.decide(item);
	}

	/** Tells the user that to go on may mean to pay twice. Whoever executes it again has decided. */
	private warn({ memory, origin }: Item, because: Doubt, job?: JobReference): Failed {
		recordEvent(memory, { kind: 'userWarned', execution: origin.requester.execution });
		return fail({ kind: 'possibleDuplicate', because }, job && { ...job });
	}

	/** A resource that is remembered, if its links work for a while yet. */
	private stillUsable(remembered: string): Resource | undefined {
		const resource: unknown = JSON.parse(remembered);
		const soon = this.item.workspace.clock.now() + 60_000;
		if (!isResource(resource)) return undefined;
		return filesIn(resource).every((file) => expiryOf(file) > soon) ? resource : undefined;
	}

	/**
	 * What the item comes to once its job has ended, if that is waited for. Not `async`: see `WaitQueue`.
	 */
	private awaitEnd(made: ObtainedJob): Promise<Result<ItemOutput>> {
		const { host, settings, spec, workspace } = this.item;
		const mayRun = spec.output === 'job' && !made.isOver;
		if (!mayRun || !settings.waitForCompletion) return this.afterWait(made, ok(made.job));
		const terminalStatuses = endsOf(made, settings);
		return workspace.poller
			.wait(host.channel, made.job, settings.waitTimeoutMs, { terminalStatuses })
			.then((seen) => this.afterWait(made, seen));
	}

	/**
	 * What the item comes to: its job, with the files of one that has ended well.
	 * @param seen the job as it was last seen, or why the wait for its end was given up
	 */
	private async afterWait(made: ObtainedJob, seen: Result<Resource>): Promise<Result<ItemOutput>> {
		const { item, progress } = this;
		const { itemIndex, memory, run, settings, spec } = item;
		const { entry, slotWait } = progress;
		const job = seen.ok ? seen.value : made.job;
		run.addJob(itemIndex, job, item.part);
		if (!seen.ok) {
			slotWait.slot?.abandon();
			return seen;
		}
		const mayRun = spec.output === 'job' && !made.isOver;
		const state = mayRun ? jobState(job, endsOf(made, settings)) : 'good';
		const unapproved = made.isPlan ? notApproved(item, job) : undefined;
		if (state === 'running') {
			slotWait.slot?.abandon();
			return unapproved ?? ok({ resources: [job] });
		}
		if (entry) closeEntry(entry, job, state === 'good');
		if (state === 'bad') return this.afterFailedJob(job);
		slotWait.slot?.release();
		// Not what was asked for: the next try looks how it has gone on.
		if (unapproved) return unapproved;
		// An agent run may still change, so it is read again.
		const mayChange = spec.output === 'job' && job.object === 'agent_run';
		const resource = spec.holdsSecret || mayChange ? undefined : rememberedText(job);
		recordEvent(memory, { kind: 'jobSucceeded', resource });
		return await fetchFiles(item, await withOutputs(item, job));
	}

	/** The job has failed: the next try makes another one. */
	private afterFailedJob(job: Resource): Failed {
		const { item, files, idempotency, progress } = this;
		const failed = failureOf(job);
		// Before its slot is free: the next part of its item would be sent in it.
		item.partsOfItem?.fail(failed);
		progress.slotWait.slot?.release();
		forgetPaidKey(progress);
		// What approves or reviews an agent run makes no new one.
		if (item.spec.endpoint.does === 'creates') recordEvent(item.memory, { kind: 'jobFailed' });
		forgetUploads(item, files, idempotency);
		return failed;
	}

	/** Whatever of our own has thrown: its slot is for others, unless a job runs in it. */
	breakOff(error: unknown): never {
		this.progress.slotWait.slot?.abandon();
		throw error;
	}
}

/** Which slot the request of an item needs. */
export function slotKindOf({
	spec,
	request,
}: Pick<Item, 'spec' | 'request'>): SlotKind | undefined {
	const { takesSlot } = spec;
	return typeof takesSlot === 'function' ? takesSlot(request.body) : takesSlot;
}

/** The largest resource that is remembered in full, in characters of JSON. */
const MAX_CHARACTERS = 2_000;

/** A resource as it is remembered: as text, so that nothing downstream can modify it; not a large one. */
function rememberedText(resource: Resource): string | undefined {
	const text = JSON.stringify(resource);
	return text.length <= MAX_CHARACTERS ? text : undefined;
}

/** A job that was known, as it is read now. A plan is one for as long as its status has not changed. */
function asKnown(state: ItemState, job: Resource): ObtainedJob {
	if (state.is === 'new' || state.is === 'sent') return { job, isOver: false };
	const isPlan = state.planStatus !== undefined && state.planStatus === asText(job.status);
	return { job, isOver: state.is === 'done' || isPlan, isPlan };
}

/** The statuses that end the wait; of an agent run that has been approved, that of its plan does not. */
function endsOf(
	{ isPlan }: ObtainedJob,
	{ terminalStatuses }: Settings,
): TerminalStatuses | undefined {
	if (isPlan !== false || terminalStatuses === undefined) return terminalStatuses;
	const { good, bad } = terminalStatuses;
	return { good: good.filter((status) => status !== AGENT_STATUS.planned), bad };
}
