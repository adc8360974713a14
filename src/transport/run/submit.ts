import { claimKey, hasUsedKey, keyInUse } from './customKeys';
import { isOutOfCredits, KeysWithoutCredits } from './credits';
import { atKeyInUse, contentKeyInUse, firstContentKey, noteContentKey } from './contentKeys';
import { uploadAll } from './inputs';
import { keyOf } from './itemKey';
import { openRequest, type OpenedRequest } from './openRequest';
import { noteFormerJob, recordEvent } from './itemMemory';
import { isKeyExpired, isLaterKey, isOutcomeOpen, type JobReference } from './itemState';
import { nextStep, type Facts, type Step } from './nextStep';
import { readerOf, readerPath } from '../jobs/jobState';
import { post, type Outgoing } from './post';
import { areLinksFresh } from './rememberedJob';
import { fail, ok, refusalStatusOf, type Result } from '../base/result';
import type { Item } from './item';
import type { Created } from '../limits/singleFlight';
import { isResource, type Resource } from '../base/types';
import { findPossibleDuplicate } from './outcomeUnknown';
import { requestResource } from '../http/client';
import { isAboutRequest } from '../http/statuses';

/** Whether the key of an unknown outcome has expired, so that it can no longer settle it. */
const hasKeyExpired = ({ memory: { state }, workspace }: Item): boolean =>
	isOutcomeOpen(state) && isKeyExpired(state.firstSentAt, workspace.clock.now());

/** What a try starts with: a request to send, or a job that is already known. */
export type Start = { send: Outgoing } | { known: Resource };

/** Creates the job of one item. Carries out what `itemState` decides. */
export class Submission {
	private opened: Result<OpenedRequest> | undefined;

	private hasRenewedUploads = false;

	constructor(private readonly item: Item) {}

	/** The files and the fingerprint of the request. */
	private async open(): Promise<Result<OpenedRequest>> {
		return (this.opened ??= await openRequest(this.item));
	}

	/**
	 * Whether the user has changed the request: both the parameters and input that the user controls and the resulting
	 * request differ. A request that merely evaluates differently each time (`$now` in a prompt) is the same one.
	 */
	private async isChanged(): Promise<Result<boolean>> {
		const { memory, inputFingerprint } = this.item;
		if (memory.state.is === 'new' || memory.inputFingerprint === inputFingerprint) return ok(false);
		const opened = await this.open();
		return opened.ok ? ok(opened.value.requestFingerprint !== memory.fingerprint) : opened;
	}

	/** Decides what this try starts with. Sends nothing except what it takes to find out. */
	async begin(): Promise<Result<Start>> {
		const { item } = this;
		const { memory, workspace, origin } = item;
		const changed = await this.isChanged();
		if (!changed.ok) return changed;
		if (isLaterKey(memory.state) && !isOutcomeOpen(memory.state)) {
			const opened = await this.open();
			const isSame = opened.ok && opened.value.requestFingerprint === memory.fingerprint;
			if (isSame) recordEvent(memory, { kind: 'startsAtFirstKey' });
		}
		const facts: Facts = {
			now: workspace.clock.now(),
			isChanged: changed.value,
			hasFixedKey: hasUsedKey(item),
			execution: origin.executionId,
		};
		return await this.carryOut(nextStep(memory.state, facts));
	}

	private async carryOut(step: Step): Promise<Result<Start>> {
		switch (step.do) {
			case 'send':
				return await this.newRequest(step.startsOver);
			case 'resend': {
				const { attempt, key, path, body } = step.sent;
				return ok({ send: { attempt, key, path, body } });
			}
			case 'read':
				return await this.readKnownJob(step.job);
			case 'output': {
				const known: unknown = JSON.parse(step.resource);
				const isUsable = isResource(known) && areLinksFresh(known, this.item.workspace.clock.now());
				return isUsable ? ok({ known }) : await this.readKnownJob(step.job);
			}
			case 'search':
				return await this.searchForJob(step);
			case 'reject':
				return keyInUse(step.job);
		}
	}

	private async searchForJob({ sent, because }: Step & { do: 'search' }): Promise<Result<Start>> {
		const { item } = this;
		const { memory, settings, origin } = item;
		const found = await findPossibleDuplicate(item, sent, because);
		if (!found) {
			recordEvent(memory, { kind: 'nothingFound', restart: settings.idempotency === 'content' });
			return await this.begin();
		}
		if (found.failure.kind === 'possibleDuplicate') {
			recordEvent(memory, { kind: 'userWarned', execution: origin.executionId });
		}
		return found;
	}

	/** A known job is only read: whatever a gateway responds or a key may not do, the job stays known. */
	private async readKnownJob(job: JobReference): Promise<Result<Start>> {
		const { host, workspace } = this.item;
		const request = { method: 'GET', path: readerPath({ ...job }) } as const;
		const response = await requestResource(workspace.client, host.channel, request);
		if (response.ok) {
			const read = response.value;
			return ok({ known: job.object ? { object: job.object, ...read } : read });
		}
		const endpoint = readerOf(job.object ?? '');
		return { ...fail(response.failure, { ...job }), endpoint };
	}

	private async newRequest(startsOver: boolean): Promise<Result<Start>> {
		const { item } = this;
		const { memory, settings, node, request, inputFingerprint } = item;
		const opened = await this.open();
		if (!opened.ok) return opened;
		const { requestFingerprint, sources } = opened.value;
		if (startsOver && 'job' in memory.state) noteFormerJob(node, memory.state.job.id);
		const isByContent = settings.idempotency === 'content';
		// By Content, keys are numbered for each content.
		const isOtherContent =
			isByContent && memory.fingerprint !== undefined && memory.fingerprint !== requestFingerprint;
		if (startsOver || isOtherContent) {
			recordEvent(memory, { kind: 'requestChanged', restart: isByContent });
			// What the former request may have reserved stays in the sum.
			delete memory.expectedCredits;
		}
		const conflict = claimKey(item, requestFingerprint);
		if (conflict) return conflict;
		memory.fingerprint = requestFingerprint;
		memory.inputFingerprint = inputFingerprint;
		const own = memory.state.is === 'new' ? memory.state.firstKey : 0;
		const attempt = isByContent
			? Math.max(own, contentKeyInUse(item, requestFingerprint) ?? 0)
			: own;
		const { path, body } = request;
		const key = keyOf(this.item, requestFingerprint, attempt);
		return ok({ send: { attempt, key, path, body, sources } });
	}

	private async post(outgoing: Outgoing, retry?: boolean): Promise<Result<Created>> {
		const created = await post(this.item, outgoing, retry);
		noteContentKey(this.item, outgoing.attempt, created);
		return created;
	}

	/**
	 * Has the service create what the request describes, once. Specification: Operation details, Idempotency-Key.
	 */
	async send(chosen: Outgoing): Promise<Result<Created>> {
		const outgoing = atKeyInUse(this.item, chosen);
		// It may have waited for a slot or for credits for hours since the try began.
		if (hasKeyExpired(this.item)) {
			const again = await this.begin();
			if (!again.ok) return again;
			if ('send' in again.value) return await this.send(again.value.send);
		}
		const { memory, settings } = this.item;
		const uploaded = outgoing.sources ? await uploadAll(this.item, outgoing.sources) : undefined;
		if (uploaded && !uploaded.ok) return uploaded;
		const body = uploaded ? uploaded.value.body : outgoing.body;
		const content = firstContentKey(this.item, memory.fingerprint ?? '');
		const keys = new KeysWithoutCredits(this.item, content);
		let created = await this.post({ ...outgoing, body });
		if (created.ok || memory.state.is !== 'new') return created;

		if (settings.idempotency === 'content' && isOutOfCredits(created)) {
			const attempt = keys.nextAfter(outgoing.attempt);
			const isInUse = contentKeyInUse(this.item, memory.fingerprint ?? '') === outgoing.attempt;
			if (attempt !== undefined && !isInUse) {
				const key = keyOf(this.item, memory.fingerprint ?? '', attempt);
				// No retry: the balance may change before it, and then the first key would have to be tried again.
				created = await this.post({ ...outgoing, body, attempt, key }, false);
			}
			keys.share();
			return created;
		}
		const status = refusalStatusOf(created);
		// It may be about the URL of a file.
		const mayBeUrl = uploaded?.value.isRemembered && status !== undefined && isAboutRequest(status);
		if (!mayBeUrl || this.hasRenewedUploads) return created;
		this.hasRenewedUploads = true;
		memory.uploads = undefined;
		memory.uploadRound = (memory.uploadRound ?? 0) + 1;
		const retry = await this.begin();
		return retry.ok && 'send' in retry.value ? await this.send(retry.value.send) : created;
	}
}
