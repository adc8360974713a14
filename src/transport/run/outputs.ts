import { textOf } from '../../contract';
import { download } from '../files/download';
import { readableStem } from '../files/names';
import { requestResource } from '../http/client';
import { outputsIn, readerPath, statedReason } from '../jobs/jobState';
import { fail, ok, type Result } from '../base/result';
import type { Outcome, Item } from './item';
import type { Settings } from './settings';
import { asText, isRecord, type ApiRequest, type Resource } from '../base/types';

type ServiceContext = Pick<Item, 'host' | 'workspace'>;

/** What the download of a job's files needs. */
export interface FileContext extends ServiceContext {
	settings: Pick<Settings, 'downloadOutputs'>;
	/** The request that created the job, if known: the files are named after it. */
	request?: ApiRequest;
}

interface FoundOutput {
	id: string;
	url: string;
	mediaType?: string;
	expiresAt?: number;
}

/**
 * The prompt, brief or text of a job: from the request, otherwise from where the service repeats
 * it.
 */
function requestedText(job: Resource, { body }: Partial<ApiRequest> = {}): string {
	for (const source of [isRecord(body) ? body : {}, job]) {
		const [first] = Array.isArray(source.blocks) ? source.blocks : [];
		const requested = [source.prompt, source.brief, isRecord(first) ? first.text : undefined];
		const words = requested.map(textOf).find((words) => words !== undefined);
		if (words) return words;
	}
	return '';
}

/** The kind of media of a job, as far as it says. */
function kindOf({ object, mode }: Resource): string {
	if (object === 'speech_generation') return 'speech';
	return textOf(mode) ?? textOf(object) ?? 'file';
}

/** The downloadable outputs of a job. */
function outputsOf(job: Resource): FoundOutput[] {
	return outputsIn(job)
		.filter(isRecord)
		.flatMap((output, index) => {
			const url = textOf(output.url);
			const id = textOf(output.id) ?? `${job.id}-${index + 1}`;
			if (!url) return [];
			return [
				{ id, url, mediaType: textOf(output.media_type), expiresAt: time(output.expires_at) },
			];
		});
}

/** A date-time in milliseconds since the epoch; `undefined` for anything else. */
function time(value: unknown): number | undefined {
	const at = Date.parse(asText(value));
	return Number.isNaN(at) ? undefined : at;
}

/** The job as the service shows it now; `undefined` if it cannot be read. */
async function readAgain(
	{ workspace, host }: ServiceContext,
	job: Resource,
): Promise<Resource | undefined> {
	const request = { method: 'GET', path: readerPath(job) } as const;
	const read = await requestResource(workspace.client, host.channel, request);
	return read.ok ? read.value : undefined;
}

/** @param index where the output is among those of the job, as ids may repeat */
async function freshUrl(
	context: FileContext,
	job: Resource,
	id: string,
	index: number,
): Promise<string | undefined> {
	const fresh = await readAgain(context, job);
	const outputs = fresh ? outputsOf(fresh) : [];
	const samePlace = outputs[index];
	const found = samePlace?.id === id ? samePlace : outputs.find((output) => output.id === id);
	return found?.url;
}

const MEDIA_OBJECTS = new Set<unknown>(['generation', 'speech_generation']);

const lacksOutputs = (job: Resource) =>
	MEDIA_OBJECTS.has(job.object) && outputsOf(job).length === 0;

/**
 * A job that has ended well, with its outputs: the response to a creation that is repeated may show
 * the end without them.
 */
export async function withOutputs(context: ServiceContext, job: Resource): Promise<Resource> {
	if (!lacksOutputs(job)) return job;
	const fresh = await readAgain(context, job);
	const whole = { ...fresh, id: job.id, object: job.object };
	return lacksOutputs(whole) ? job : whole;
}

/** What a job lacks that succeeded as a whole; `undefined` for nothing. */
function warningOf(job: Resource): string | undefined {
	if (job.status === 'completed' && lacksOutputs(job)) {
		return 'The job has ended well, but the service shows no outputs of it';
	}
	if (job.status !== 'partially_completed') return undefined;
	const made = outputsOf(job).length;
	const reason = statedReason(job) ?? 'the service states no reason';
	return `Only a part of the outputs was made (${made}): ${reason}`;
}

/**
 * Downloads the files of a job into n8n if wanted. A file that cannot be downloaded is a failure
 * carrying the job.
 */
export async function collect(context: FileContext, job: Resource): Promise<Result<Outcome>> {
	const outcome: Outcome = { resources: [job], files: [], warning: warningOf(job) };
	if (!context.settings.downloadOutputs) return ok(outcome);
	const found = outputsOf(job);
	const requested = requestedText(job, context.request);
	for (const [index, output] of found.entries()) {
		const number = found.length > 1 ? index + 1 : undefined;
		const stem = readableStem(requested, kindOf(job), job.id, number);
		const renew = async () => await freshUrl(context, job, output.id, index);
		const file = await download(context.host, context.workspace, { ...output, stem, renew });
		if (!file.ok) return fail(file.failure, job);
		outcome.files.push({ outputId: output.id, data: file.value });
	}
	return ok(outcome);
}
