import {
	ENDPOINTS,
	LIMITS,
	LISTED_PARAMETERS,
	SPEECH_MODELS,
	type Endpoint,
	type InputSlot,
	type SpeechModel,
} from '../api';
import { BoundedMap, getOrCreate } from '../base/maps';
import { Semaphore } from '../base/semaphore';
import { creditWords } from '../base/texts';
import { MINUTE_MS } from '../base/times';
import {
	asText,
	isRecord,
	type Channel,
	type Clock,
	type Json,
	type Resource,
} from '../base/types';
import { canonicalJson, flagOf } from '../base/values';
import type { Client } from './client';
import { outputCount } from './jobState';
import { mustBeList, pageOf } from './pages';

/*
 * What requests cost. The specification states few prices; the others are learned from what the workspace has
 * paid. All that names or needs a price asks here: the list of models, dry runs, the limits of credits, and
 * the receipt of a run.
 */

/** The parts of a request on which its price depends. */
export interface Priced {
	endpoint: Endpoint;
	/** The body as it is sent. */
	body: unknown;
}

/** The price of the lite speech model, in credits per character. Specification: Credit rules. */
const LITE_SPEECH: { model: SpeechModel; price: number } = {
	model: 'service/speech-lite',
	price: 300 / 1_000_000,
};

/** Planning an agent run costs this. Specification: Credit rules. */
export const PLANNING_CREDITS = 1;

/**
 * The most that a request may reserve, if the specification says so: planning an agent run costs 1 credit,
 * and its approved steps reserve their budget. Otherwise `undefined`. Specification: Credit rules.
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
 * What a job has reserved or spent, as far as the answer says so. An agent run has both amounts, which are
 * added. Other jobs have `estimated_credits`; if it is missing, as in a voice, the first number counts whose
 * name contains "credit".
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
 * What a creation has cost by its answer. An approval reserves its budget; what the run has spent by then was
 * for its planning.
 */
export function chargeOf({ path }: Endpoint, job: Json): number | undefined {
	const { reserved_credits: reserved } = job;
	return path === ENDPOINTS.approveAgentRun.path && isAmount(reserved) ? reserved : creditsOf(job);
}

const parametersOf = (body: Json): Json => (isRecord(body.parameters) ? body.parameters : {});

/** How many outputs a generation asks for. Specification: CreateGeneration, `parameters`. */
export function countAskedFor(body: unknown): number {
	const count = isRecord(body) ? Number(parametersOf(body).count ?? 1) : 1;
	return Number.isFinite(count) ? Math.min(Math.max(1, Math.floor(count)), LIMITS.count.max) : 1;
}

const lengthOf = (text: unknown): number => [...asText(text)].length;

/** How many characters a request of POST /speech asks for. */
export function charactersIn({ blocks }: Json): number {
	const all = Array.isArray(blocks) ? blocks.filter(isRecord) : [];
	return all.reduce((sum, { text }) => sum + lengthOf(text), 0);
}

/**
 * Whether a model is paid for by the character. The specification says so of the lite model (Credit rules);
 * longer texts cost more with the other speech model too.
 */
const isByCharacter = (model: unknown): boolean => SPEECH_MODELS.some((known) => known === model);

/** How many outputs a request asks for; of operations that do not count them, one. */
const outputsOf = ({ endpoint, body }: Priced): number =>
	endpoint.path === ENDPOINTS.createGeneration.path ? countAskedFor(body) : 1;

/** How many units of its price a request asks for: characters, outputs or, for other operations, one. */
function unitsOf(request: Priced): number {
	const { endpoint, body } = request;
	if (!isRecord(body)) return 1;
	if (endpoint.path === ENDPOINTS.createSpeech.path) return charactersIn(body);
	const outputs = outputsOf(request);
	return isByCharacter(body.model) ? outputs * lengthOf(body.prompt) : outputs;
}

/**
 * What so many units come to. Speech reserves whole credits for each output. Specification:
 * SpeechGeneration.
 */
function reservedFor(request: Priced, price: number): number {
	const cost = price * unitsOf(request);
	const { model } = isRecord(request.body) ? request.body : {};
	if (!isByCharacter(model)) return cost;
	const outputs = outputsOf(request);
	return outputs * Math.ceil(cost / outputs - 1e-9);
}

/** The kind of a request. The prices of its kind are only a guess at its own: a longer video costs more. */
export function priceKindOf({ endpoint, body }: Priced): string {
	const { mode, model } = isRecord(body) ? body : {};
	return JSON.stringify([endpoint.path, mode, model]);
}

/** How much a request asks for. Of two requests of one kind, the one that asks for more costs more. */
export const amountOf = (request: Priced): number =>
	statedPrice(request.endpoint, request.body) ?? unitsOf(request);

/** How many files a slot has. What is no list, which Additional JSON may contain, stays as it is. */
const countIn = (files: unknown): unknown => (Array.isArray(files) ? files.length : files);

/** The slots of a request, with what is to be known of their files. */
function slotsOf({ input }: Json, known: (files: unknown, slot: string) => unknown): Json {
	const slots = isRecord(input) ? Object.entries(input) : [];
	return Object.fromEntries(slots.map(([slot, files]) => [slot, known(files, slot)]));
}

/**
 * The kind of a request with what shows how much it asks for, as far as rows differ in that on purpose. Where
 * one was refused for lack of credits, another of its similar kind would be too, unless it asks for less.
 */
export function similarKindOf(request: Priced): string {
	const body = isRecord(request.body) ? request.body : {};
	const parameters = parametersOf(body);
	const chosen = LISTED_PARAMETERS.map((name) => parameters[name]);
	// A voice is cloned or designed, which is its `kind`.
	return canonicalJson([priceKindOf(request), body.kind, chosen, slotsOf(body, countIn)]);
}

/**
 * Slots for pictures. Films and sounds have a length, which may have its price and which nobody sees here.
 */
const PICTURE_SLOTS: readonly string[] = [
	'reference_images',
	'image_refs',
	'start_frame',
	'end_frame',
	'character',
] satisfies InputSlot[];

/**
 * The kind of a request with everything that may have its price: all but its units (`unitsOf`), its prompt,
 * names, descriptions, and which pictures it has. Speech is priced by the character, whoever says it.
 * Requests of one exact kind have one price per unit, the last one that an answer has stated.
 */
export function exactKindOf({ endpoint, body }: Priced): string {
	const asked = isRecord(body) ? body : {};
	const parameters: Json = { ...parametersOf(asked), count: undefined };
	if (isByCharacter(asked.model)) parameters.voice = undefined;
	const withoutUnits = {
		...asked,
		prompt: undefined,
		blocks: undefined,
		name: undefined,
		description: undefined,
		parameters,
		input: slotsOf(asked, (files, slot) => (PICTURE_SLOTS.includes(slot) ? countIn(files) : files)),
	};
	return canonicalJson([endpoint.path, withoutUnits]);
}

/** A generation with this body, to ask for its price. */
export const generationOf = (body: Json): Priced => ({
	endpoint: ENDPOINTS.createGeneration,
	body,
});

/** What was paid for a number of units. */
interface Paid {
	credits: number;
	units: number;
}

const unitPriceOf = ({ credits, units }: Paid): number => credits / units;

/** For so long the newest generations are not read again, in ms. */
const FRESH_MS = 5 * MINUTE_MS;

/** For so long they are not read again after a failure, in ms. */
const RETRY_MS = MINUTE_MS;

/** At most so many pages are read while a price is missing. */
const MOST_PAGES = 5;

/** More kinds of requests than any workspace uses. */
const MOST_KINDS = 1_000;

/** In the place of an exact kind. */
const OF_LIST = 'listed';

/** The prices of a workspace, as far as this process has seen them paid. */
export class PriceBook {
	/**
	 * By kind of request ({@link priceKindOf}), what was paid last for each exact kind ({@link exactKindOf})
	 * and each similar one ({@link similarKindOf}), and for the newest job of the list, which does not show
	 * its parameters ({@link OF_LIST}).
	 */
	private readonly paid = new BoundedMap<string, Map<string, Paid>>(MOST_KINDS);
	private readonly turn = new Semaphore(1);
	private readUntil = -Infinity;
	/**
	 * How far the list of generations was read: kinds whose newest price was seen, the number of pages, and
	 * the cursor of the next page.
	 */
	private seen = new Set<string>();
	private pages = 0;
	private next: string | undefined;

	constructor(
		private readonly client: Pick<Client, 'request'>,
		private readonly clock: Pick<Clock, 'monotonic'>,
	) {}

	/** Whether no price is known yet. */
	get isEmpty(): boolean {
		return this.paid.size === 0;
	}

	/**
	 * Learns prices from the newest generations. The first page is read at most once in a few minutes,
	 * further pages only while a wanted price is missing.
	 * @param wanted the generations to be priced; other jobs are not listed with their prices
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
	 * A completed generation tells the price of one output. A partially completed one does not, because it
	 * does not show how many outputs were asked for.
	 */
	private learnFromList(entry: Json): void {
		const credits = creditsOf(entry);
		const units = outputCount(entry);
		const kind = priceKindOf(generationOf(entry));
		const isTelling = entry.status === 'completed' && credits !== undefined && units > 0;
		// Speech is priced by its text, which the list does not show.
		if (!isTelling || isByCharacter(entry.model) || this.seen.has(kind)) return;
		this.seen.add(kind);
		this.paidFor(kind).set(OF_LIST, { credits, units });
	}

	private paidFor(kind: string): Map<string, Paid> {
		return getOrCreate(this.paid, kind, () => new BoundedMap<string, Paid>(MOST_KINDS));
	}

	/** The answer to a creation says what it has reserved. */
	learnFromAnswer(request: Priced, job: Resource): void {
		const credits = creditsOf(job);
		const units = unitsOf(request);
		if (credits === undefined || units === 0) return;
		const paid = this.paidFor(priceKindOf(request));
		for (const kind of [exactKindOf(request), similarKindOf(request)]) {
			const earlier = paid.get(kind);
			// Credits of speech are rounded up, so a short text says less about the price of a character
			// than a longer one.
			const isExplained =
				earlier !== undefined &&
				units < earlier.units &&
				reservedFor(request, unitPriceOf(earlier)) === credits;
			if (!isExplained) paid.set(kind, { credits, units });
		}
	}

	/**
	 * Whether the price of a request is certain: the specification states it, or an answer has stated that of
	 * its exact kind. Any other price is a guess, which no limit may trust.
	 */
	isCertain(request: Priced): boolean {
		const { endpoint, body } = request;
		if (isRecord(body) && body.model === LITE_SPEECH.model) return true;
		if (statedPrice(endpoint, body) !== undefined) return true;
		return this.paid.get(priceKindOf(request))?.has(exactKindOf(request)) ?? false;
	}

	/**
	 * The price of one unit: an output, a character or a request. Where none of its exact kind was paid for,
	 * the guess is the last one of its similar kind, else the dearest of its kind. `undefined` if there is
	 * none.
	 */
	private perUnit(request: Priced): number | undefined {
		const { model } = isRecord(request.body) ? request.body : {};
		if (model === LITE_SPEECH.model) return LITE_SPEECH.price;
		const paid = this.paid.get(priceKindOf(request));
		if (paid === undefined) return undefined;
		const last = paid.get(exactKindOf(request)) ?? paid.get(similarKindOf(request));
		if (last) return unitPriceOf(last);
		return [...paid.values()].map(unitPriceOf).reduce((most, one) => Math.max(most, one));
	}

	/** What a request is expected to cost, certainly or not; `undefined` if nothing is known of it. */
	costOf(request: Priced): number | undefined {
		const stated = statedPrice(request.endpoint, request.body);
		if (stated !== undefined) return stated;
		const price = this.perUnit(request);
		return price === undefined ? undefined : price * unitsOf(request);
	}

	/** What a request is expected to reserve: as {@link costOf}, with what is rounded. */
	reservationOf(request: Priced): number | undefined {
		const stated = statedPrice(request.endpoint, request.body);
		if (stated !== undefined) return stated;
		const price = this.perUnit(request);
		return price === undefined ? undefined : reservedFor(request, price);
	}
}

const OUTPUT_WORDS: Record<string, string> = {
	image: 'a picture',
	video: 'a video',
	audio: 'a file',
};

/** The price of a model, as the list of models shows it; `undefined` if it is not known. */
export function priceWords(book: PriceBook, mode: string, model: string): string | undefined {
	if (model === LITE_SPEECH.model) return '300 credits per million characters';
	const prompt = 'x'.repeat(1_000);
	const cost = book.costOf(generationOf({ mode, model, prompt }));
	if (cost === undefined) return undefined;
	const unit = isByCharacter(model) ? 'per 1,000 characters' : (OUTPUT_WORDS[mode] ?? 'each');
	return `${creditWords(cost)} ${unit} last time`;
}
