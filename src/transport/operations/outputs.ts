import { download } from '../files/download';
import { readableStem } from '../files/fileName';
import { readerPath, statedReason } from '../jobs/jobState';
import { fail, ok, type Result } from '../base/result';
import type { Outcome, Item } from '../item/item';
import type { Settings } from '../item/settings';
import { asText, isRecord, type ApiRequest, type Resource } from '../base/types';

/** What bringing in the files of a job needs to know of a run. */
export interface FileContext extends Pick<Item, 'host' | 'workspace'> {
	settings: Pick<Settings, 'downloadOutputs'>;
	/** What was sent to make the job, where that is known: names the files. */
	request?: ApiRequest;
}

interface Found {
	id: string;
	url: string;
	mediaType?: string;
	expiresAt?: number;
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** What a job was asked for: in the request, else where the service repeats it. */
function askedFor(job: Resource, { body }: Partial<ApiRequest> = {}): string {
	for (const source of [isRecord(body) ? body : {}, job]) {
		const [first] = Array.isArray(source.blocks) ? source.blocks : [];
		const asked = [source.prompt, source.brief, isRecord(first) ? first.text : undefined];
		const words = asked.map(text).find((words) => words !== undefined);
		if (words) return words;
	}
	return '';
}

/** What kind of media a job makes, as far as it says. */
function kindOf({ object, mode }: Resource): string {
	if (object === 'speech_generation') return 'speech';
	return text(mode) ?? text(object) ?? 'file';
}

/** The downloadable outputs of a job: `outputs` of a generation, `output` of a speech generation. */
function outputsOf(job: Resource): Found[] {
	const listed = Array.isArray(job.outputs) ? job.outputs : [job.output];
	return listed.filter(isRecord).flatMap((output, index) => {
		const url = text(output.url);
		const id = text(output.id) ?? `${job.id}-${index + 1}`;
		if (!url) return [];
		return [{ id, url, mediaType: text(output.media_type), expiresAt: time(output.expires_at) }];
	});
}

/** A date-time in milliseconds since the epoch; `undefined` for what is none. */
function time(value: unknown): number | undefined {
	const at = Date.parse(asText(value));
	return Number.isNaN(at) ? undefined : at;
}

async function renewed(run: FileContext, job: Resource, id: string): Promise<string | undefined> {
	const request = { method: 'GET', path: readerPath(job) } as const;
	const answer = await run.workspace.client.request(run.host.channel, request);
	if (!answer.ok) return undefined;
	const fresh = { ...(answer.value.body as Resource), id: job.id };
	return outputsOf(fresh).find((output) => output.id === id)?.url;
}

/** What a job that is good as a whole lacks; `undefined` when nothing. */
function warningOf(job: Resource): string | undefined {
	if (job.status !== 'partially_completed') return undefined;
	const made = outputsOf(job).length;
	const reason = statedReason(job) ?? 'the service states no reason';
	return `Only a part of the outputs was made (${made}): ${reason}`;
}

/** Brings the files of an ended job into n8n if wanted. A file that cannot be had is a failure that carries the job. */
export async function collect(run: FileContext, job: Resource): Promise<Result<Outcome>> {
	const outcome: Outcome = { resources: [job], files: [], warning: warningOf(job) };
	if (!run.settings.downloadOutputs) return ok(outcome);
	const found = outputsOf(job);
	const asked = askedFor(job, run.request);
	for (const [index, output] of found.entries()) {
		const number = found.length > 1 ? index + 1 : undefined;
		const stem = readableStem(asked, kindOf(job), job.id, number);
		const renew = async () => await renewed(run, job, output.id);
		const file = await download(run.host, run.workspace, { ...output, stem, renew });
		if (!file.ok) return fail(file.failure, job);
		outcome.files.push({ outputId: output.id, data: file.value });
	}
	return ok(outcome);
}
