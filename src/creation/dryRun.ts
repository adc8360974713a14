import { textOf } from '../api';
import { findOnce } from '../base/maps';
import { fail, ok, type Result } from '../base/result';
import { creditWords, roundedUp } from '../base/texts';
import { asText, isRecord, type ApiRequest, type Json, type Resource } from '../base/types';
import { flagOf, instancesIn, withoutInstances } from '../base/values';
import { BinaryReference } from '../files/localFile';
import { sampleMp4, samplePng, sampleWav } from '../files/samples';
import type { StoredFile } from '../transport/host';
import { filesIn } from '../transport/jobState';
import { charactersIn, countAskedFor } from '../transport/priceBook';
import { askBook, withBudget } from './credits/creditLimits';
import { withFirstModel } from './firstModel';
import { filledIn, requestHashOf, idempotencyOf } from './idempotency/idempotency';
import { statesOf } from './idempotency/itemState';
import type { Item, ItemOutput } from './item';
import { readableStem, requestedText } from './outputs';
import type { DrySummary, Run } from './run';
import { openFiles } from './uploads';

/*
 * A dry run: nothing is created, and no request goes out but those that read what the last generations
 * of the workspace have cost (`transport/priceBook.ts`) and, where none is chosen, its first model. Every
 * item has the shape of a finished job, with files that stand for its media, so that what comes after the
 * node can be built. What would be sent stands under `request`.
 */

/** What several jobs would cost, as the end of a sentence. */
function costSentence(costs: Array<number | undefined>): string {
	const known = costs.filter((cost) => cost !== undefined);
	const unknown = costs.length - known.length;
	if (known.length === 0) return unknown > 0 ? '; what that costs is not known' : '';
	const sum = creditWords(known.reduce((total, cost) => total + cost, 0));
	const rest = unknown > 0 ? `, and the unknown price of ${unknown} of them` : '';
	return `, about ${sum}, at the prices of last time${rest}`;
}

/**
 * A request as it would be sent: with the budget that limits leave to an agent run and, where no model is
 * chosen, with the first one that the service lists.
 */
async function asSent(
	item: Item,
	request: ApiRequest,
	lacksModel = false,
): Promise<Result<ApiRequest>> {
	const budgeted = withBudget(item, request.body, false);
	const sent = budgeted === request.body ? request : { ...request, body: budgeted };
	if (!lacksModel || !item.hasService) return ok(sent);
	const body = await withFirstModel(item, sent.body);
	if (body.ok) return ok({ ...sent, body: body.value });
	return body.failure.kind === 'input' ? body : ok(sent);
}

/**
 * The requests of all dry items as they would be sent. An expression may set Dry Run for some items only, and
 * the others are really sent.
 */
async function allAsSent(item: Item): Promise<ApiRequest[]> {
	const all: ApiRequest[] = [];
	for (const [, prepared] of item.run.checked) {
		if (!prepared.ok || !prepared.value.settings.dryRun) continue;
		const { request, parts = [request], lacksModel, settings } = prepared.value;
		for (const part of parts) {
			const sent = await asSent({ ...item, settings }, part, lacksModel);
			all.push(sent.ok ? sent.value : part);
		}
	}
	return all;
}

/** What all items of the run would create and cost, in words, and which of them are wrong. */
async function summaryOf(item: Item): Promise<DrySummary> {
	const { invalid } = item.run;
	const { endpoint } = item.spec;
	const priced = (await allAsSent(item)).map(({ body }) => ({ endpoint, body }));
	await askBook(item, priced);
	const costs = priced.map((one) => item.workspace.prices.costOf(one));
	const cost = item.spec.charges ? costSentence(costs) : '';
	const count = `${costs.length} ${costs.length === 1 ? 'job' : 'jobs'}`;
	const bad =
		invalid.length > 0
			? ` Items that are wrong: ${invalid.map((index) => index + 1).join(', ')}.`
			: '';
	const wouldBe = `${count}${cost}`;
	const isAll = [...item.run.checked.values()].every(
		(prepared) => !prepared.ok || prepared.value.settings.dryRun,
	);
	const nothing = isAll ? 'Nothing was sent.' : 'Nothing was sent of the items that are dry runs.';
	return { wouldBe, sentence: `${nothing} It would create ${wouldBe}.${bad}` };
}

/** What a dry run says of all items. The first asks for the prices of all, so that the others need not. */
const summaries = new WeakMap<Run, Promise<DrySummary>>();

/** A file that stands for an output. */
interface Sample {
	mediaType: string;
	extension: string;
	bytes: () => Buffer;
}

const WAV: Sample = { mediaType: 'audio/wav', extension: 'wav', bytes: sampleWav };
const MP4: Sample = { mediaType: 'video/mp4', extension: 'mp4', bytes: sampleMp4 };

/** The longer side of a sample picture, in pixels, where the parameters name no size. */
const DEFAULT_SIDE = 480;
const MAX_SIDE = 2_048;

/** Width and height of the picture that was asked for, as far as the parameters say. */
function pictureSize(body: Json): [width: number, height: number] {
	const parameters = isRecord(body.parameters) ? body.parameters : {};
	const size = /^\s*(\d{1,5})\s*[x×*]\s*(\d{1,5})\s*$/i.exec(asText(parameters.size));
	const ratio = /^\s*(\d{1,4}(?:\.\d+)?)\s*:\s*(\d{1,4}(?:\.\d+)?)\s*$/.exec(
		asText(parameters.aspect_ratio),
	);
	const [, first = '1', second = '1'] = size ?? ratio ?? [];
	const width = Number(first);
	const height = Number(second);
	const longer = Math.max(width, height);
	if (!(Math.min(width, height) > 0)) return [DEFAULT_SIDE, DEFAULT_SIDE];
	const side = size ? Math.min(longer, MAX_SIDE) : DEFAULT_SIDE;
	const scaled = (one: number) => Math.max(1, Math.round((one / longer) * side));
	return [scaled(width), scaled(height)];
}

function sampleFor(object: string | undefined, body: Json): Sample | undefined {
	if (object === 'speech_generation') return WAV;
	if (object !== 'generation') return undefined;
	if (body.mode === 'video') return MP4;
	if (body.mode === 'audio') return WAV;
	return {
		mediaType: 'image/png',
		extension: 'png',
		bytes: () => samplePng(...pictureSize(body)),
	};
}

/** The outputs that a job would have, with links that lead nowhere. */
function sampleOutputs(id: string, count: number, { mediaType, extension }: Sample): Json[] {
	return Array.from({ length: count }, (_, index) => ({
		id: `${id}_output_${index + 1}`,
		url: `https://example.com/dry-run/${id}_${index + 1}.${extension}`,
		media_type: mediaType,
	}));
}

/** The resource as it would be once it is finished. Specification: Resources and their fields. */
function finished(item: Item, { path, body: sent }: ApiRequest, id: string): Json {
	const { object } = item.spec;
	const body = isRecord(sent) ? sent : {};
	const sample = sampleFor(object, body);
	switch (object) {
		case 'generation': {
			const outputs = sample ? sampleOutputs(id, countAskedFor(body), sample) : [];
			const ids = outputs.map((output) => output.id);
			const { mode, model } = body;
			return { id, object, status: 'completed', mode, model, output_ids: ids, outputs };
		}
		case 'speech_generation': {
			const [output] = sample ? sampleOutputs(id, 1, sample) : [];
			const lines = Array.isArray(body.blocks) ? body.blocks.length : 0;
			return {
				id,
				object,
				status: 'completed',
				model: body.model,
				line_count: lines,
				character_count: charactersIn(body),
				duration_seconds: 1,
				output: output && { url: output.url, media_type: output.media_type },
			};
		}
		case 'agent_run': {
			const [, agentRunId = id] = /^\/agents\/runs\/([^/]+)\//.exec(path) ?? [];
			const status = finishedStatusOf(path, body);
			return { id: agentRunId, object, status, plan: body.plan ?? {}, outputs: [] };
		}
		case 'persona':
			return { id, object, status: 'ready', name: body.name, preview_url: null };
		case 'voice':
			return { id, object, name: body.name, kind: body.kind, preview_url: null };
		default:
			return { id, object };
	}
}

/** The status that a step of an agent run ends with. The specification has no words for it: the sandbox's. */
function finishedStatusOf(path: string, body: Json): string {
	if (path.endsWith('/review')) return 'completed';
	const isApproved = path.endsWith('/approve') || flagOf(body.auto_approve) === true;
	return isApproved ? 'awaiting_review' : 'plan_proposed';
}

async function storeSamples(
	{ host, itemIndex }: Item,
	job: Json,
	{ body }: ApiRequest,
): Promise<Result<StoredFile[]>> {
	const files = filesIn(job);
	const sample = sampleFor(textOf(job.object), isRecord(body) ? body : {});
	const stored: StoredFile[] = [];
	for (const index of sample ? files.keys() : []) {
		if (!sample) break;
		const number = files.length > 1 ? index + 1 : undefined;
		const words = requestedText(job as Resource, { body });
		const stem = `dry-run-${readableStem(words, 'file', String(itemIndex + 1), number)}`;
		const fileName = `${stem}.${sample.extension}`;
		const bytes = sample.bytes();
		try {
			stored.push(await host.store(bytes, fileName, sample.mediaType));
		} catch {
			const problem = 'n8n could not store the file';
			return fail({ kind: 'download', outputId: `${index + 1}`, problem });
		}
	}
	return ok(stored);
}

/** What an item would become. Nothing is remembered of it, so that the real run starts from scratch. */
export async function dryRun(item: Item): Promise<Result<ItemOutput>> {
	const { request, parts = [request], lacksModel, memory, run, itemIndex, settings } = item;
	const opened = await openFiles(item, instancesIn(request.body, BinaryReference));
	if (!opened.ok) return opened;
	const checked = item.spec.check ? await item.spec.check(item) : ok(undefined);
	if (!checked.ok) return checked;
	const states = statesOf(item);
	const requestHash = requestHashOf(request, opened.value);
	const asNew: Item = { ...item, memory: { ...memory, requestHash, keySeed: undefined } };
	const idempotency = idempotencyOf(asNew, requestHash);
	run.drySummary = await findOnce(summaries, run, () => summaryOf(item));
	const { sentence: summary } = run.drySummary;
	const resources: Json[] = [];
	const files: StoredFile[][] = [];
	for (const [index, partRequest] of parts.entries()) {
		const asIs = await asSent(item, partRequest, lacksModel);
		if (!asIs.ok) return asIs;
		const part = asIs.value;
		const suffix = parts.length > 1 ? `_${index + 1}` : '';
		const job = finished(item, part, `dry_run_${itemIndex + 1}${suffix}`);
		const stored = settings.downloadOutputs ? await storeSamples(item, job, part) : ok([]);
		if (!stored.ok) return stored;
		const { endpoint } = item.spec;
		const price = item.workspace.prices.costOf({ endpoint, body: part.body });
		const sent: Json = {
			method: part.method,
			path: part.path,
			body: withoutInstances(part.body, BinaryReference, ({ field }) => `binary:${field}`),
		};
		const key = idempotency.currentKey(filledIn(part.body, partRequest));
		if (key !== undefined && parts.length === 1) sent.idempotencyKey = key;
		const resource: Json = { ...job, dryRun: true, summary, request: sent };
		if (price !== undefined) resource.estimated_credits = roundedUp(price);
		if (parts.length > 1) Object.assign(resource, { part: index + 1, parts: parts.length });
		const [, state] = states[index] ?? [];
		if (state && 'job' in state) resource.existingJob = state.job.id;
		resources.push(resource);
		files.push(stored.value);
	}
	return ok({ resources, files, warning: checked.value });
}
