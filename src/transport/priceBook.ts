import {
	ENDPOINTS,
	LIMITS,
	LISTED_PARAMETERS,
	SPEECH_MODELS,
	type Endpoint,
	type SpeechModel,
} from '../api';
import { BoundedMap } from '../base/boundedMap';
import { Semaphore } from '../base/semaphore';
import {
	asText,
	isRecord,
	type Channel,
	type Clock,
	type Json,
	type Resource,
} from '../base/types';
import { flagOf } from '../base/values';
import type { Client } from './client';
import { mustBeList, pageOf } from './pages';
import { MINUTE_MS } from './tuning';

/*
 * What requests cost. The specification states few prices; what the workspace has paid tells the others.
 * Whoever names or needs a price asks here: the list of models, a dry run, the limits of credits, what is
 * said of a run.
 */

/** A request as far as its price depends on it. */
export interface Priced {
	endpoint: Endpoint;
	/** As it is sent. */
	body: unknown;
}

/** The lite speech model, in credits per character. Specification: Credit rules. */
const LITE_SPEECH: { model: SpeechModel; price: number } = {
	model: 'service/speech-lite',
	price: 300 / 1_000_000,
};

/** Planning a run costs this. Specification: Credit rules. */
export const PLANNING_CREDITS = 1;

/**
 * The most that a request may reserve, where the specification says so: agent planning costs 1
 * credit, and approved media steps reserve their budget. Specification: Credit rules.
 */
function statedPrice({ path }: Endpoint, body: unknown): number | undefined {
	if (!isRecord(body)) return undefined;
	const budget = typeof body.max_credits === 'number' ? body.max_credits : undefined;
	if (path === ENDPOINTS.approveAgentRun.path) return budget;
	if (path !== ENDPOINTS.createAgentRun.path) return undefined;
	if (!flagOf(body.auto_approve)) return PLANNING_CREDITS;
	return budget === undefined ? undefined : PLANNING_CREDITS + budget;
}

const isAmount = (value: unknown): value is number =>
	typeof value === 'number' && Number.isFinite(value) && value >= 0;

/**
 * What a job has reserved or spent: of an agent run both, of others `estimated_credits`; where that
 * is not shown (Voice), the first number that is named after credits. `undefined` where the
 * response does not say.
 */
export function creditsOf(job: Json): number | undefined {
	if (job.object === 'agent_run') {
		const both = [job.reserved_credits, job.spent_credits].filter(isAmount);
		return both.length > 0 ? both.reduce((sum, one) => sum + one, 0) : undefined;
	}
	const isCharge = (name: string) => /credit/i.test(name) && !/max|balance|left|remain/i.test(name);
	const named = Object.entries(job).flatMap(([name, value]) => (isCharge(name) ? [value] : []));
	return [job.estimated_credits, ...named].find(isAmount);
}

/**
 * What a creation has cost by its answer: an approval reserves its budget, and what its run has spent was for
 * the planning.
 */
export function chargeOf({ path }: Endpoint, job: Json): number | undefined {
	const { reserved_credits: reserved } = job;
	return path === ENDPOINTS.approveAgentRun.path && isAmount(reserved) ? reserved : creditsOf(job);
}

const parametersOf = (body: Json): Json => (isRecord(body.parameters) ? body.parameters : {});

/** How many outputs a generation is asked for. Specification: CreateGeneration, `parameters`. */
export function countAskedFor(body: unknown): number {
	const asked = isRecord(body) ? Number(parametersOf(body).count ?? 1) : 1;
	return Number.isFinite(asked) ? Math.min(Math.max(1, Math.floor(asked)), LIMITS.count.max) : 1;
}

const lengthOf = (text: unknown): number => [...asText(text)].length;

/** The characters that a request of POST /speech asks for. */
export function charactersIn({ blocks }: Json): number {
	const all = Array.isArray(blocks) ? blocks.filter(isRecord) : [];
	return all.reduce((sum, { text }) => sum + lengthOf(text), 0);
}

/** Specification: Credit rules, of the lite model; longer texts cost more with the other one too. */
const isByCharacter = (model: unknown): boolean => SPEECH_MODELS.some((known) => known === model);

/** How many of what its price is counted in a request asks for. */
function unitsOf({ endpoint, body }: Priced): number {
	if (!isRecord(body)) return 1;
	if (endpoint.path === ENDPOINTS.createSpeech.path) return charactersIn(body);
	if (endpoint.path !== ENDPOINTS.createGeneration.path) return 1;
	const count = countAskedFor(body);
	return isByCharacter(body.model) ? count * lengthOf(body.prompt) : count;
}

/** Requests of one kind are taken to have one price, unless more is known of one with the same parameters. */
export function priceKindOf({ endpoint, body }: Priced): string {
	const { mode, model } = isRecord(body) ? body : {};
	return JSON.stringify([endpoint.path, mode, model]);
}

/** How much of its kind a request asks for: of two alike, the one that asks for more costs more. */
export const amountOf = (request: Priced): number =>
	statedPrice(request.endpoint, request.body) ?? unitsOf(request);

/** The same with what a price may depend on besides. */
export function exactKindOf({ endpoint, body }: Priced): string {
	const { mode, model, ...rest } = isRecord(body) ? body : {};
	const parameters = parametersOf(rest);
	const chosen = LISTED_PARAMETERS.map((name) => parameters[name] ?? null);
	return JSON.stringify([endpoint.path, mode, model, chosen]);
}

/** A generation as it would be asked for. */
export const generationOf = (body: Json): Priced => ({
	endpoint: ENDPOINTS.createGeneration,
	body,
});

/** What was paid for so many. */
interface Paid {
	credits: number;
	units: number;
}

/** How long the newest generations are not read again, in ms. */
const FRESH_MS = 5 * MINUTE_MS;

/** The same after a failure. */
const RETRY_MS = MINUTE_MS;

/** Further pages are read while a price is missing, so many at most. */
const MOST_PAGES = 5;

/** More kinds than any workspace uses. */
const MOST_KINDS = 1_000;

/** The prices of a workspace, as far as this process has seen what it has paid. */
export class PriceBook {
	/** By kind of request, and by kind with its parameters. */
	private readonly paid = new BoundedMap<string, Paid>(MOST_KINDS);
	private readonly turn = new Semaphore(1);
	private readUntil = -Infinity;
	/**
	 * How far the list was read since: kinds that a newer entry has shown, pages, and the cursor of the next
	 * one.
	 */
	private seen = new Set<string>();
	private pages = 0;
	private next: string | undefined;

	constructor(
		private readonly client: Pick<Client, 'request'>,
		private readonly clock: Pick<Clock, 'monotonic'>,
	) {}

	/** Whether the service has named no price so far. */
	get isEmpty(): boolean {
		return this.paid.size === 0;
	}

	/**
	 * Reads the newest generations, at most once in a few minutes, and further ones only while a price is
	 * missing.
	 * @param wanted what has to be priced: generations, as only these are listed with what they are
	 */
	async ask(channel: Channel, wanted: readonly Priced[]): Promise<void> {
		await this.turn.run(channel, async () => {
			const now = this.clock.monotonic();
			if (now >= this.readUntil) {
				this.readUntil = now + FRESH_MS;
				this.seen = new Set();
				this.pages = 0;
				this.next = undefined;
				await this.readPage(channel);
			}
			const isMissing = (one: Priced) => this.perUnit(one) === undefined;
			while (this.next !== undefined && this.pages < MOST_PAGES && wanted.some(isMissing))
				await this.readPage(channel);
		});
	}

	private async readPage(channel: Channel): Promise<void> {
		const { path } = ENDPOINTS.listGenerations;
		const query: Record<string, string | number> = { limit: LIMITS.listLimit.max };
		if (this.next !== undefined) query.cursor = this.next;
		const options = { retry: false, validate: mustBeList };
		const answer = await this.client.request(channel, { method: 'GET', path, query }, options);
		this.pages += 1;
		this.next = undefined;
		if (!answer.ok) {
			this.readUntil = this.clock.monotonic() + RETRY_MS;
			return;
		}
		const { entries, next } = pageOf(answer.value.body);
		this.next = next;
		for (const entry of entries) this.learnFromList(entry);
	}

	/**
	 * A finished one tells the price of an output: of what was made in part, nobody knows what was asked for.
	 */
	private learnFromList(entry: Json): void {
		const credits = creditsOf(entry);
		const { outputs, output_ids: ids, model } = entry;
		const lengths = [outputs, ids].map((one) => (Array.isArray(one) ? one.length : 0));
		const units = Math.max(...lengths);
		const kind = priceKindOf(generationOf(entry));
		const isTelling = entry.status === 'completed' && credits !== undefined && units > 0;
		// The text that was spoken is not shown.
		if (!isTelling || isByCharacter(model) || this.seen.has(kind)) return;
		this.seen.add(kind);
		this.paid.set(kind, { credits, units });
	}

	/** The answer to a creation says what it has reserved. */
	teach(request: Priced, job: Resource): void {
		const credits = creditsOf(job);
		const units = unitsOf(request);
		if (credits === undefined || units === 0) return;
		for (const kind of [priceKindOf(request), exactKindOf(request)]) {
			const known = this.paid.get(kind);
			// Credits of speech are whole: a short text says less of the price of a character than a longer
			// one.
			const isExplained =
				known !== undefined &&
				units < known.units &&
				Math.ceil((known.credits / known.units) * units) === credits;
			if (!isExplained) this.paid.set(kind, { credits, units });
		}
	}

	/** The price of one output, character or request. */
	private perUnit(request: Priced): number | undefined {
		const { model } = isRecord(request.body) ? request.body : {};
		if (model === LITE_SPEECH.model) return LITE_SPEECH.price;
		const paid = this.paid.get(exactKindOf(request)) ?? this.paid.get(priceKindOf(request));
		return paid && paid.credits / paid.units;
	}

	/** What a request is expected to cost; `undefined` where that is not known. */
	costOf(request: Priced): number | undefined {
		const stated = statedPrice(request.endpoint, request.body);
		if (stated !== undefined) return stated;
		const price = this.perUnit(request);
		return price === undefined ? undefined : price * unitsOf(request);
	}

	/** What it is expected to reserve: of speech whole credits. Specification: SpeechGeneration. */
	reservationOf(request: Priced): number | undefined {
		const cost = this.costOf(request);
		const { model } = isRecord(request.body) ? request.body : {};
		return cost !== undefined && isByCharacter(model) ? Math.ceil(cost - 1e-9) : cost;
	}
}

/** Never less than it will be. */
export const roundedUp = (credits: number): number => Math.ceil(credits * 100 - 1e-6) / 100;

/** `1 credit`, `24 credits`. */
export function creditWords(credits: number): string {
	const shown = roundedUp(credits);
	return `${shown} ${shown === 1 ? 'credit' : 'credits'}`;
}

const OUTPUT_WORDS: Record<string, string> = {
	image: 'a picture',
	video: 'a video',
	audio: 'a file',
};

/** The price of a model, as the list of models shows it; `undefined` where it is not known. */
export function priceWords(book: PriceBook, mode: string, model: string): string | undefined {
	if (model === LITE_SPEECH.model) return '300 credits per million characters';
	const prompt = 'x'.repeat(1_000);
	const cost = book.costOf(generationOf({ mode, model, prompt }));
	if (cost === undefined) return undefined;
	const unit = isByCharacter(model) ? 'per 1,000 characters' : (OUTPUT_WORDS[mode] ?? 'each');
	return `${creditWords(cost)} ${unit} last time`;
}
