import { textOf } from '../api';
import { safeFileName } from '../base/fileNames';
import { findOnce, getOrCreate } from '../base/maps';
import { fail, ok, type Result } from '../base/result';
import { asText, isRecord, type ApiRequest, type Json, type Resource } from '../base/types';
import { download, type Output } from '../files/transfer';
import { requestResource } from '../transport/client';
import type { StoredFile } from '../transport/host';
import { statedReason } from '../transport/jobFailure';
import { filesIn, lacksOutputs, outputCount, readerOf, readerPath } from '../transport/jobState';
import type { JobReference } from './idempotency/itemState';
import type { Item, ItemOutput, Settings } from './item';

/*
 * The files of a job that has ended well, once each for a node of an execution.
 *
 * Why one is not downloaded again: Retry On Fail runs the node again in the same execution. There the item is
 * known to be done, so that its job is not read again if it was short enough to be remembered and its links
 * last (`decide` in `creation.ts`), and `fetchOnce` finds the file in `filesByNodeMemory`, by its job, place
 * and ID, or without an ID by its address. n8n hands out another memory of the node in every other
 * execution, also in a Retry of this one: there it is downloaded again.
 *
 * Nothing is downloaded where Download Outputs is off, and of a job that has failed (`afterWait` in
 * `creation.ts`).
 */

interface ReadContext extends Pick<Item, 'host' | 'workspace'> {
	/** Where the job was read: the key may not be allowed to read it elsewhere. */
	readPath?: string;
}

/** What the download of a job's files needs; they are named after the request that created it, if known. */
export interface FileContext extends ReadContext, Partial<Pick<Item, 'request'>> {
	/** Of the node, which n8n hands out in all runs of one execution. */
	nodeMemory: object;
	settings: Pick<Settings, 'downloadOutputs'>;
}

const PREVIEWED = new Set<unknown>(['persona', 'voice']);

const isPreviewed = ({ object }: Json): boolean => PREVIEWED.has(object);

/** What of a resource can be downloaded: the outputs of a job, the preview of a persona or a voice. */
export function downloadable(resource: Json): Json[] {
	return isPreviewed(resource) ? previewsOf(resource) : filesIn(resource);
}

function previewsOf({ preview_url: preview }: Json): Json[] {
	const url = textOf(preview);
	return url === undefined ? [] : [{ url }];
}

/** The prompt, brief or text of a job, from the request or where the service repeats it. */
export function requestedText(job: Resource, { body }: Partial<ApiRequest> = {}): string {
	for (const source of [isRecord(body) ? body : {}, job]) {
		const [first] = Array.isArray(source.blocks) ? (source.blocks as unknown[]) : [];
		const spoken = isRecord(first) ? first.text : undefined;
		const words = textOf(source.prompt) ?? textOf(source.brief) ?? textOf(spoken);
		if (words !== undefined) return words;
	}
	return '';
}

/** The kind of media of a job, as far as it says. */
function mediaKindOf({ object, mode }: Resource): string {
	if (object === 'speech_generation') return 'speech';
	return textOf(mode) ?? textOf(object) ?? 'file';
}

/** Only so many characters of a prompt are looked at for a name: it may be of any length. */
const MAX_READ = 1_000;

/** The most characters that a name takes from the prompt. The id fits after them in any script. */
const MAX_WORDS = 45;

/** The words of a text in lower case, joined by dashes; cut between words if possible. */
function slug(text: string): string {
	const lower = text.slice(0, MAX_READ).normalize('NFC').toLowerCase();
	const words = lower.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
	const joined = [...words.join('-')];
	const cut = joined.slice(0, MAX_WORDS).join('');
	return joined.length > MAX_WORDS && joined[MAX_WORDS] !== '-' ? cut.replace(/-[^-]*$/, '') : cut;
}

/**
 * A readable name without extension: words of the prompt, the end of the id and, if there are several files,
 * a number. It is safe in every file system.
 * @param kind used if the prompt has no words
 */
export function readableStem(words: string, kind: string, id: string, number?: number): string {
	const shortId = slug(id).split('-').at(-1)?.slice(-6) ?? '';
	const parts = [slug(words) || slug(kind) || 'file', shortId, number ?? ''];
	return safeFileName(parts.filter((part) => part !== '').join('-'));
}

/** When the link of an output expires, in milliseconds since the epoch; `Infinity` if it does not. */
export function expiryOf({ expires_at: expires }: Json): number {
	const at = Date.parse(asText(expires));
	return Number.isNaN(at) ? Infinity : at;
}

/**
 * Reads a job that is known to exist. Whatever goes wrong, such as the page of a gateway or a scope that the
 * key lacks, the failure names the job.
 */
export async function readKnownJob(
	{ host, workspace }: Item,
	job: JobReference,
): Promise<Result<Resource>> {
	const request = { method: 'GET', path: readerPath({ ...job }) } as const;
	const read = await requestResource(workspace.client, host.channel, request);
	if (!read.ok) return { ...fail(read.failure, { ...job }), endpoint: readerOf(job.object ?? '') };
	const { object = job.object } = read.value;
	return ok(object === undefined ? read.value : { ...read.value, object });
}

/** What the service shows of a job now; `{}` if it cannot be read. */
async function readAgain({ workspace, host, readPath }: ReadContext, job: Resource): Promise<Json> {
	const request = { method: 'GET', path: readPath ?? readerPath(job) } as const;
	const read = await requestResource(workspace.client, host.channel, request);
	return read.ok ? read.value : {};
}

/** A job that has ended well, with its outputs: it is read once more if it was shown without some of them. */
export async function withOutputs(context: ReadContext, job: Resource): Promise<Resource> {
	if (!lacksOutputs(job)) return job;
	const whole = { ...(await readAgain(context, job)), id: job.id, object: job.object };
	return filesIn(whole).length > filesIn(job).length ? whole : job;
}

/**
 * Finds an output of a job again among those that a later read shows: by its id, or, where ids are missing or
 * repeat, by its place.
 */
function sameOutput(outputs: Json[], found: Json[], index: number): Json | undefined {
	const id = found[index]?.id;
	const [same, ...others] = outputs.filter((output) => id !== undefined && output.id === id);
	if (same && others.length === 0) return same;
	return outputs.length === found.length ? outputs[index] : undefined;
}

/**
 * What is said of a job that has ended well without all of its outputs.
 * @param shown how many of its outputs it shows
 */
function warningOf(job: Resource, shown: number, isIncomplete: boolean): string | undefined {
	if (job.status === 'completed') {
		if (!isIncomplete) return undefined;
		return shown === 0
			? 'The job has ended well, but the service shows no outputs of it'
			: `The service shows only ${shown} of ${outputCount(job)} outputs`;
	}
	if (job.status !== 'partially_completed') return undefined;
	const reason = statedReason(job) ?? 'the service states no reason';
	return `Only a part of the outputs was made (${shown}): ${reason}`;
}

/**
 * The files that an execution has, or that are on their way to it, so that neither Retry On Fail nor another
 * row with the same job fetches them again: by the memory of its node, which is another object in every other
 * execution.
 */
const filesByNodeMemory = new WeakMap<object, Map<string, Promise<Result<StoredFile>>>>();

/**
 * Downloads a file, unless this execution does so already or has done so. All that the nodes download comes
 * by here.
 * @param name of the file, the same whenever it is asked for
 */
export async function fetchOnce(
	{ host, workspace, nodeMemory }: Pick<FileContext, 'host' | 'workspace' | 'nodeMemory'>,
	name: string,
	output: Output,
): Promise<Result<StoredFile>> {
	const files = getOrCreate(filesByNodeMemory, nodeMemory, () => new Map());
	const load = () => download(host, workspace, output);
	const fetched = await findOnce(files, name, load, (one) => !one.ok);
	return fetched.ok ? ok({ ...fetched.value }) : fetched;
}

/**
 * Downloads the files of a job, or the preview of a persona or voice, into n8n if wanted. A file that cannot
 * be downloaded is a failure carrying the job.
 */
export async function fetchFiles(context: FileContext, job: Resource): Promise<Result<ItemOutput>> {
	const outputs = filesIn(job);
	const warning = warningOf(job, outputs.length, lacksOutputs(job));
	const itemOutput: ItemOutput = { resources: [job], warning };
	if (!context.settings.downloadOutputs) return ok(itemOutput);
	const found = isPreviewed(job) ? previewsOf(job) : outputs;
	const files: StoredFile[] = [];
	const requested = isPreviewed(job)
		? `${asText(job.name)} preview`
		: requestedText(job, context.request);
	// A read for the link of one file gives those of all others too.
	let shown = found;
	for (const index of found.keys()) {
		let seen = shown;
		const output = sameOutput(shown, found, index) ?? found[index] ?? {};
		const renew = async () => {
			if (seen === shown) shown = downloadable(await readAgain(context, job));
			seen = shown;
			return textOf(sameOutput(shown, found, index)?.url);
		};
		const outputId = textOf(output.id);
		const id = outputId ?? `${job.id}-${index + 1}`;
		const url = String(output.url);
		// Without an ID its address tells one file from another: an agent run shows a draft and then the
		// final film in the same place. What follows `?` changes whenever the link is signed anew.
		const name = outputId ?? url.split('?', 1)[0] ?? url;
		const number = found.length > 1 ? index + 1 : undefined;
		const file = await fetchOnce(context, `${job.id} ${index} ${name}`, {
			id,
			url,
			mediaType: textOf(output.media_type),
			expiresAt: expiryOf(output),
			stem: readableStem(requested, mediaKindOf(job), job.id, number),
			renew,
		});
		if (!file.ok) return fail(file.failure, job);
		files.push(file.value);
	}
	return ok({ ...itemOutput, files: [files] });
}
