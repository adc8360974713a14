import { isOwnKey, takeKey } from '../item/customKeys';
import { isOutOfCredits } from './haltRun';
import type { BinarySource } from '../host/host';
import { contentKey, executionKey, fingerprint } from '../item/idempotency';
import { openSources, uploadAll } from './inputs';
import { note } from '../item/itemMemory';
import { isDerived, stepOf, type Facts, type JobReference, type Step } from '../item/itemState';
import { readerOf, readerPath } from '../jobs/jobState';
import { post, type Outgoing } from './post';
import { isLasting } from './rememberedJob';
import { fail, ok, type Failed, type Result } from '../base/result';
import type { Item } from '../item/item';
import type { Created } from '../limits/singleFlight';
import { isResource, type Resource } from '../base/types';
import { findPossibleDuplicate } from './outcomeUnknown';

/** Refusals that may be about the URL of a file. */
const URL_REFUSALS = new Set([400, 404, 422]);

const noId = (body: unknown) => (isResource(body) ? undefined : 'it has no id');

/** What a try begins with: a request to send, or a job that is known. */
export type Start = { send: Outgoing } | { known: Resource };

interface Opened {
	sources: Map<string, BinarySource>;
	print: string;
}

const statusOf = ({ failure }: Failed) => (failure.kind === 'status' ? failure.status : undefined);

/** The creation of one item, from what is known of it to the job that answers. Carries out what `itemState` decides. */
export class Submission {
	private opened: Promise<Result<Opened>> | undefined;

	private hasRenewedUploads = false;

	constructor(private readonly run: Item) {}

	/** What the content is known by over executions; its first key. */
	private contentOf(print: string): string {
		return contentKey(this.run.origin.node, print, 0);
	}

	/** The files and the fingerprint of the request. */
	private async open(): Promise<Result<Opened>> {
		this.opened ??= (async (): Promise<Result<Opened>> => {
			const { request } = this.run;
			const sources = await openSources(this.run);
			if (!sources.ok) return sources;
			const identities = [...sources.value].map(([field, { identity }]) => [field, identity]);
			const asked = [request.path, request.body];
			const print = fingerprint(asked, Object.fromEntries(identities) as Record<string, string>);
			return ok({ sources: sources.value, print });
		})();
		return await this.opened;
	}

	/**
	 * Whether the user has changed the request: what he can change is not what it was, and what comes of it is not either. A request
	 * that merely reads differently each time (`$now` in a prompt) is the same one.
	 */
	private async isChanged(): Promise<Result<boolean>> {
		const { memory, source } = this.run;
		if (memory.state.is === 'new' || memory.source === source) return ok(false);
		const opened = await this.open();
		return opened.ok ? ok(opened.value.print !== memory.fingerprint) : opened;
	}

	/** Decides what this try begins with. Sends nothing but what it takes to find out. */
	async begin(): Promise<Result<Start>> {
		const { run: item } = this;
		const { memory, workspace, origin: place } = item;
		const changed = await this.isChanged();
		if (!changed.ok) return changed;
		if (isDerived(memory.state)) {
			const opened = await this.open();
			const isSame = opened.ok && opened.value.print === memory.fingerprint;
			if (isSame) note(memory, { kind: 'walksAgain' });
		}
		const facts: Facts = {
			now: workspace.clock.now(),
			isChanged: changed.value,
			hasFixedKey: isOwnKey(item),
			execution: place.executionId,
		};
		const step = stepOf(memory.state, facts);
		return await this.take(step);
	}

	private async take(step: Step): Promise<Result<Start>> {
		switch (step.do) {
			case 'ask':
				return await this.ask(step.isAfresh);
			case 'repeat': {
				const { attempt, key, path, body } = step.asked;
				return ok({ send: { attempt, key, path, body } });
			}
			case 'read':
				return await this.read(step.job);
			case 'output': {
				const known = JSON.parse(step.resource) as Resource;
				return isLasting(known, this.run.workspace.clock.now())
					? ok({ known })
					: await this.read(step.job);
			}
			case 'look':
				return await this.look(step);
			case 'refuse':
				return refusal(step.job);
		}
	}

	private async look({ asked, because }: Step & { do: 'look' }): Promise<Result<Start>> {
		const { run: item } = this;
		const found = await findPossibleDuplicate(item, asked, because);
		if (!found) {
			note(item.memory, { kind: 'leftNothing', restart: item.settings.idempotency === 'content' });
			return await this.begin();
		}
		if (found.failure.kind === 'possibleDuplicate') {
			note(item.memory, { kind: 'told', execution: item.origin.executionId });
		}
		return found;
	}

	/** A known job is read, whatever the answer is: nothing that a gateway or a key says makes it unknown. */
	private async read(job: JobReference): Promise<Result<Start>> {
		const { host, workspace } = this.run;
		const request = { method: 'GET', path: readerPath(job as Resource) } as const;
		const answer = await workspace.client.request(host.channel, request, { validate: noId });
		if (answer.ok) {
			const { object } = job;
			return ok({ known: { ...(object && { object }), ...(answer.value.body as Resource) } });
		}
		const endpoint = readerOf(job.object ?? '');
		return { ...fail(answer.failure, job as Resource), endpoint };
	}

	private async ask(isAfresh: boolean): Promise<Result<Start>> {
		const { run: item } = this;
		const { memory, settings, node, request, source } = item;
		const opened = await this.open();
		if (!opened.ok) return opened;
		const { print, sources } = opened.value;
		if (isAfresh && 'job' in memory.state) (node.former ??= []).push(memory.state.job.id);
		const byContent = settings.idempotency === 'content';
		// Keys are counted for each content.
		const isOther = byContent && memory.fingerprint !== undefined && memory.fingerprint !== print;
		if (isAfresh || isOther) note(memory, { kind: 'changed', restart: byContent });
		const taken = takeKey(item, print);
		if (taken) return taken;
		memory.fingerprint = print;
		memory.source = source;
		const attempt = memory.state.is === 'new' ? memory.state.base : 0;
		const { path, body } = request;
		return ok({ send: { attempt, key: this.keyOf(print, attempt), path, body, sources } });
	}

	private keyOf(print: string, attempt: number): string | undefined {
		const { settings, origin: place } = this.run;
		switch (settings.idempotency) {
			case 'none':
				return undefined;
			case 'custom':
				return settings.idempotencyKey;
			case 'content':
				return contentKey(place.node, print, attempt);
			case 'execution':
				return executionKey(place.seed, place.item, attempt);
		}
	}

	/**
	 * Has the service create what the request says, once. Each try is noted before it goes out and when its answer is there.
	 * Specification: Operation details, Idempotency-Key.
	 */
	async send(outgoing: Outgoing): Promise<Result<Created>> {
		const { run: item } = this;
		const { memory, settings, workspace } = item;
		const uploaded = outgoing.sources ? await uploadAll(item, outgoing.sources) : undefined;
		if (uploaded && !uploaded.ok) return uploaded;
		const body = uploaded ? uploaded.value.body : outgoing.body;
		const content = this.contentOf(memory.fingerprint ?? '');
		const before = Math.max(memory.state.short ?? 0, workspace.creations.shortOf(content));
		let created = await post(item, { ...outgoing, body });
		if (created.ok || memory.state.is !== 'new') return created;

		if (settings.idempotency === 'content' && isOutOfCredits(created)) {
			// A key that was short of credits before may be so for ever where a service repeats its refusals.
			if (before > outgoing.attempt) {
				const key = this.keyOf(memory.fingerprint ?? '', before);
				// Once: the balance may change until it is sent again, and then the first key would have to be asked again.
				created = await post(item, { ...outgoing, body, attempt: before, key }, true);
			}
			workspace.creations.ranShort(content, memory.state.short ?? 0);
			return created;
		}
		const mayBeUrl = uploaded?.value.isRemembered && URL_REFUSALS.has(statusOf(created) ?? 0);
		if (!mayBeUrl || this.hasRenewedUploads) return created;
		this.hasRenewedUploads = true;
		memory.uploads = undefined;
		memory.uploadRound = (memory.uploadRound ?? 0) + 1;
		const again = await this.begin();
		return again.ok && 'send' in again.value ? await this.send(again.value.send) : created;
	}
}

function refusal(job: JobReference | undefined): Failed {
	const problem = job
		? `is that of another request, whose job is ${job.id}`
		: 'is that of another request, of which it is unknown whether it was carried out';
	const hint = 'Give the changed request a key of its own';
	return fail({ kind: 'input', field: 'Idempotency Key', problem, hint }, job as Resource);
}
