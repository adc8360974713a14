import { ok, type Failed, type Result } from '../base/result';
import { isRecord, isResource, type Json } from '../base/types';
import { idAskedFor, isRepeatable } from '../api';
import { mustBeObject, otherIdProblem, requestResource } from '../transport/client';
import { readPages } from '../transport/pages';
import { isGone } from '../transport/statuses';
import { jobState, toResult } from '../transport/jobState';
import { sendFile } from '../creation/uploads';
import { inTurn } from '../creation/run';
import type { Item, Outcome, OutputKind } from '../creation/item';
import { collect, type FileContext } from '../creation/outputs';
import { withSamples } from './voiceSamples';

type Handler = (item: Item) => Promise<Result<Outcome>>;

const withoutFiles = (resources: Json[]): Outcome => ({ resources });

/** Where the specification shows no response body, an empty one is as good as an object. */
function emptyOrObject(body: unknown): string | undefined {
	const isEmpty = body === undefined || body === null || body === '';
	return isEmpty ? undefined : mustBeObject(body);
}

/** Sends the request of an item, which creates nothing. @returns the body of the response */
async function ask(
	item: Item,
	validate: (body: unknown) => string | undefined,
): Promise<Result<unknown>> {
	const options = { validate, replayable: isRepeatable(item.spec.endpoint) };
	const answer = await inTurn(item, async ({ workspace, host, request }) => {
		return await workspace.client.request(host.channel, request, options);
	});
	return answer.ok ? ok(answer.value.body) : answer;
}

async function list(item: Item): Promise<Result<Outcome>> {
	const { settings, spec } = item;
	const { limit: wanted, newerThan } = settings;
	const query = { wanted, takesLimit: spec.takesLimit ?? false, newerThan };
	const entries = await inTurn(item, async ({ workspace, host, request }) => {
		return await readPages(workspace.client, host.channel, request, query);
	});
	if (!entries.ok) return entries;
	return settings.downloadOutputs
		? await withSamples(item, entries.value)
		: ok(withoutFiles(entries.value));
}

/** One request without anything to remember: reads, updates, and what else neither creates nor approves. */
async function requestOne(item: Item): Promise<Result<Outcome>> {
	const { request, spec } = item;
	const mayBeEmpty = spec.endpoint.success === undefined;
	const id = idAskedFor(spec.endpoint, request.path);
	const body = await ask(
		item,
		(answered) =>
			(mayBeEmpty ? emptyOrObject(answered) : mustBeObject(answered)) ??
			(id === undefined ? undefined : otherIdProblem(answered, id)),
	);
	if (!body.ok) return body;
	if (isRecord(body.value)) return ok(withoutFiles([body.value]));
	return ok(withoutFiles([id === undefined ? {} : { id }]));
}

/** If a repeat after a lost response finds the resource gone, the first request has deleted it. */
async function remove(item: Item): Promise<Result<Outcome>> {
	const body = await ask(item, emptyOrObject);
	const isDeleted = ({ failure }: Failed) =>
		failure.kind === 'status' && isGone(failure.status) && failure.outcomeUnknown;
	if (!body.ok && !isDeleted(body)) return body;
	const rest = body.ok && isRecord(body.value) ? body.value : {};
	const id = idAskedFor(item.spec.endpoint, item.request.path);
	return ok(withoutFiles([{ ...rest, id, deleted: true }]));
}

async function file(item: Item): Promise<Result<Outcome>> {
	const sent = await inTurn(item, sendFile);
	return sent.ok ? ok(withoutFiles([sent.value])) : sent;
}

/** A resource that was read is read again, for a link that has expired, at the same path. */
const readAsBefore = (item: Item): FileContext => {
	const { method, path } = item.request;
	return method === 'GET' ? { ...item, readPath: path } : item;
};

/** A successful job with its files; any other job as it is. */
async function withFiles(item: Item, job: Json): Promise<Result<Outcome>> {
	const isGood = isResource(job) && jobState(job, item.settings.terminalStatuses) === 'good';
	return isGood ? await collect(readAsBefore(item), job) : ok(withoutFiles([job]));
}

/** What is no job, with its preview if it has one. */
async function resource(item: Item): Promise<Result<Outcome>> {
	const answered = await requestOne(item);
	const [one] = answered.ok ? answered.value.resources : [];
	return isResource(one) ? await collect(readAsBefore(item), one) : answered;
}

async function readJob(item: Item): Promise<Result<Outcome>> {
	const found = await requestOne(item);
	if (!found.ok) return found;
	const [job = {}] = found.value.resources;
	const outcome = await withFiles(item, job);
	const finished = jobState(job, item.settings.terminalStatuses) !== 'running';
	return outcome.ok ? ok({ ...outcome.value, finished }) : outcome;
}

/**
 * The job is read at the path of the request, whatever its kind: the key may not be allowed to read
 * it elsewhere.
 */
async function wait(item: Item): Promise<Result<Outcome>> {
	const { host, workspace, request, settings } = item;
	const { terminalStatuses, waitTimeoutMs } = settings;
	const found = await inTurn(item, async (stoppable) => {
		return await requestResource(workspace.client, stoppable.host.channel, request);
	});
	if (!found.ok) return found;
	const options = { terminalStatuses, path: request.path };
	const ended = await workspace.poller.wait(host.channel, found.value, waitTimeoutMs, options);
	const done = ended.ok ? toResult(ended.value, terminalStatuses) : ended;
	if (!done.ok) return done;
	const outcome = await collect(readAsBefore(item), done.value);
	return outcome.ok ? ok({ ...outcome.value, finished: true }) : outcome;
}

/** What creates nothing, by what it puts out. */
export const WITHOUT_CREATION: Record<OutputKind, Handler> = {
	resource,
	list,
	job: readJob,
	wait,
	deleted: remove,
	file,
};
