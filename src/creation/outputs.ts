import { textOf } from '../api';
import { fail, ok, type Result } from '../base/result';
import { asText, isRecord, type ApiRequest, type Json, type Resource } from '../base/types';
import { download, type Output } from '../files/down';
import { readableStem } from '../files/names';
import { requestResource } from '../transport/client';
import type { StoredFile } from '../transport/host';
import {
	filesIn,
	lacksOutputs,
	outputCount,
	readerPath,
	statedReason,
} from '../transport/jobState';
import type { Item, Outcome, Settings } from './item';

interface ReadContext extends Pick<Item, 'host' | 'workspace'> {
	/** Where the job was read: the key may not be allowed to read it elsewhere. */
	readPath?: string;
}

/** What the download of a job's files needs; they are named after the request that created it, if known. */
export interface FileContext extends ReadContext, Partial<Pick<Item, 'request' | 'node'>> {
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

/** When the link of an output expires, in milliseconds since the epoch; `Infinity` if it does not. */
export function expiryOf({ expires_at: expires }: Json): number {
	const at = Date.parse(asText(expires));
	return Number.isNaN(at) ? Infinity : at;
}

/** What the service shows of a job now; `{}` if it cannot be read. */
async function readAgain({ workspace, host, readPath }: ReadContext, job: Resource): Promise<Json> {
	const request = { method: 'GET', path: readPath ?? readerPath(job) } as const;
	const read = await requestResource(workspace.client, host.channel, request);
	return read.ok ? read.value : {};
}

/** A job that has ended well, with its outputs: it is read where they are not all shown. */
export async function withOutputs(context: ReadContext, job: Resource): Promise<Resource> {
	if (!lacksOutputs(job)) return job;
	const whole = { ...(await readAgain(context, job)), id: job.id, object: job.object };
	return filesIn(whole).length > filesIn(job).length ? whole : job;
}

/**
 * One of the outputs of a job as the job shows them when it is read again: by its id, or by its place
 * where ids are missing or repeat.
 */
function sameOutput(outputs: Json[], found: Json[], index: number): Json | undefined {
	const id = found[index]?.id;
	const [same, ...others] = outputs.filter((output) => id !== undefined && output.id === id);
	if (same && others.length === 0) return same;
	return outputs.length === found.length ? outputs[index] : undefined;
}

/**
 * What a job lacks that succeeded as a whole; `undefined` for nothing.
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
 * The files that an execution has, so that Retry On Fail does not fetch them again: by the memory of
 * its node, which is another object in every other execution.
 */
const filesOfExecution = new WeakMap<object, Map<string, StoredFile>>();

/** Downloads a file, or takes it where this execution has it. */
async function fetchOnce(
	{ host, workspace, node }: FileContext,
	name: string,
	output: Output,
): Promise<Result<StoredFile>> {
	const known = node && filesOfExecution.get(node);
	const kept = known?.get(name);
	if (kept) return ok({ ...kept });
	const fetched = await download(host, workspace, output);
	if (fetched.ok && node) {
		filesOfExecution.set(node, (known ?? new Map<string, StoredFile>()).set(name, fetched.value));
	}
	return fetched;
}

/**
 * Downloads the files of a job, or the preview of a persona or voice, into n8n if wanted. A file that cannot
 * be downloaded is a failure carrying the job.
 */
export async function collect(context: FileContext, job: Resource): Promise<Result<Outcome>> {
	const outputs = filesIn(job);
	const warning = warningOf(job, outputs.length, lacksOutputs(job));
	const outcome: Outcome = { resources: [job], warning };
	if (!context.settings.downloadOutputs) return ok(outcome);
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
		const id = textOf(output.id) ?? `${job.id}-${index + 1}`;
		const number = found.length > 1 ? index + 1 : undefined;
		const file = await fetchOnce(context, `${job.id} ${index} ${id}`, {
			id,
			url: String(output.url),
			mediaType: textOf(output.media_type),
			expiresAt: expiryOf(output),
			stem: readableStem(requested, mediaKindOf(job), job.id, number),
			renew,
		});
		if (!file.ok) return fail(file.failure, job);
		files.push(file.value);
	}
	return ok({ ...outcome, files: [files] });
}
