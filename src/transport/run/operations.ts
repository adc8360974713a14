import { toAgentResult } from './agentAnswer';
import { create } from './create';
import { dryRun } from './dryRun';
import { toResult, jobState } from '../jobs/jobState';
import { collect, withOutputs } from './outputs';
import { readPages } from '../http/pages';
import { requestResource } from '../http/client';
import { isGone } from '../http/statuses';
import { ok, type Result } from '../base/result';
import type { Outcome, OutputKind, Item } from './item';
import { withoutSigningSecret } from './hideSecrets';
import { sendFile } from './sendFile';
import { emptyOrObject } from './validators';
import { isRecord, isResource, type ApiRequest, type Json } from '../base/types';

type Handler = (item: Item) => Promise<Result<Outcome>>;

const withoutFiles = (resources: Json[]): Outcome => ({ resources, files: [] });

/** The id that a request to a single resource ends with. */
const idIn = ({ path }: ApiRequest): string => decodeURIComponent(path.split('/').at(-1) ?? '');

async function list({ host, workspace, request, settings, spec }: Item): Promise<Result<Outcome>> {
	const query = { wanted: settings.limit, takesLimit: spec.takesLimit ?? false };
	const entries = await readPages(workspace.client, host.channel, request, query);
	return entries.ok ? ok(withoutFiles(entries.value)) : entries;
}

async function read(item: Item): Promise<Result<Outcome>> {
	const { host, workspace, request, spec } = item;
	const validate = spec.endpoint.success ? undefined : emptyOrObject;
	const answer = await workspace.client.request(host.channel, request, { validate });
	if (!answer.ok) return answer;
	const { body } = answer.value;
	return ok(withoutFiles([isRecord(body) ? body : { id: idIn(request) }]));
}

/** A successful job with its files; any other job as it is. */
async function withFiles(item: Item, job: Json): Promise<Result<Outcome>> {
	const isGood = isResource(job) && jobState(job, item.settings.terminalStatuses) === 'good';
	return isGood ? await collect(item, job) : ok(withoutFiles([job]));
}

async function job(item: Item): Promise<Result<Outcome>> {
	if (item.spec.endpoint.method === 'POST') return await createResource(item);
	const found = await read(item);
	if (!found.ok) return found;
	const [job] = found.value.resources;
	if (!job) return found;
	const outcome = await withFiles(item, job);
	const finished = jobState(job, item.settings.terminalStatuses) !== 'running';
	return outcome.ok ? ok({ ...outcome.value, finished }) : outcome;
}

async function createResource(item: Item): Promise<Result<Outcome>> {
	const made = await create(item);
	if (!made.ok) return made;
	const hasEnded = jobState(made.value, item.settings.terminalStatuses) === 'good';
	return await withFiles(item, hasEnded ? await withOutputs(item, made.value) : made.value);
}

/**
 * The job is read at the path of the request, whatever its kind: the key may not be allowed to read
 * it elsewhere.
 */
async function wait(item: Item): Promise<Result<Outcome>> {
	const { host, workspace, request, settings } = item;
	const found = await requestResource(workspace.client, host.channel, request);
	if (!found.ok) return found;
	const { path } = request;
	const { terminalStatuses, waitTimeoutMs } = settings;
	const ended = await workspace.jobPoller.wait(host.channel, found.value, waitTimeoutMs, {
		terminalStatuses,
		path,
	});
	if (!ended.ok) return ended;
	const done = toResult(ended.value.job, terminalStatuses);
	if (!done.ok) return done;
	const outcome = await collect(item, done.value);
	return outcome.ok ? ok({ ...outcome.value, finished: true }) : outcome;
}

/** If a repeat after a lost response finds the resource gone, the first request has deleted it. */
async function remove({ host, workspace, request }: Item): Promise<Result<Outcome>> {
	const answer = await workspace.client.request(host.channel, request, { validate: emptyOrObject });
	if (!answer.ok) {
		const { failure } = answer;
		const isDeleted = failure.kind === 'status' && isGone(failure.status) && failure.outcomeUnknown;
		if (!isDeleted) return answer;
	}
	const body = answer.ok && isRecord(answer.value.body) ? answer.value.body : {};
	return ok(withoutFiles([{ ...body, id: idIn(request), deleted: true }]));
}

async function file(item: Item): Promise<Result<Outcome>> {
	const sent = await sendFile(item);
	return sent.ok ? ok(withoutFiles([sent.value])) : sent;
}

const HANDLERS: Record<OutputKind, Handler> = {
	resource: async (item) =>
		item.spec.endpoint.method === 'POST' ? await createResource(item) : await read(item),
	list,
	job,
	wait,
	deleted: remove,
	file,
};

/**
 * A resource as it is output: simplified if wanted, without secrets unless the user asked for them.
 */
function forOutput({ spec, settings }: Item, resource: Json): Json {
	const hides = spec.holdsSecret && !settings.includeSecret;
	const open = hides ? withoutSigningSecret(resource) : resource;
	return settings.simplify && spec.simplify ? spec.simplify(open) : open;
}

/** Runs the operation of an item, from its checked request to its output. */
export async function runOperation(item: Item): Promise<Result<Outcome>> {
	const { settings, spec } = item;
	if (settings.dryRun && spec.endpoint.method === 'POST') return await dryRun(item);
	const result = toAgentResult(item, await HANDLERS[spec.output](item));
	if (!result.ok) return result;
	const resources = result.value.resources.map((resource) => forOutput(item, resource));
	return ok({ ...result.value, resources });
}
