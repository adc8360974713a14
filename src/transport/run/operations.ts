import { fail, ok, type Result } from '../base/result';
import { isRecord, isResource, type ApiRequest, type Channel, type Json } from '../base/types';
import { readPages } from '../http/pages';
import { mustBeObject, otherIdProblem, requestResource } from '../http/client';
import { isGone } from '../http/statuses';
import { jobState, toResult } from '../jobs/jobState';
import { withoutReferences } from './binaryReference';
import { createJob } from './createJob';
import { halt, halted, orSilence } from './halt';
import type { Item, Outcome, OutputKind } from './item';
import { keyOf } from './keys';
import { itemMemory } from './memory';
import { collect, withOutputs } from './outputs';
import { openRequest, sendFile } from './uploads';

type Handler = (item: Item) => Promise<Result<Outcome>>;

const withoutFiles = (resources: Json[]): Outcome => ({ resources, files: [] });

/** Sends what neither creates nor approves: a few items at a time, and none once the run is halted. */
async function inTurn<T>(
	item: Item,
	send: (channel: Channel) => Promise<Result<T>>,
): Promise<Result<T>> {
	const { batch, host } = item;
	const channel = { ...host.channel, signal: batch.stopSignal(host.channel.signal) };
	const sent = await batch.reads.run(channel, async () => await send(channel));
	if (!sent) return halted(item) ?? fail({ kind: 'cancelled' });
	return sent.ok ? sent : orSilence(item, sent);
}

/** Where the specification shows no response body, an empty one is as good as an object. */
function emptyOrObject(body: unknown): string | undefined {
	const isEmpty = body === undefined || body === null || body === '';
	return isEmpty || isRecord(body) ? undefined : 'the response is not a JSON object';
}

/** The id that a request to a single resource ends with. */
const idIn = ({ path }: ApiRequest): string => decodeURIComponent(path.split('/').at(-1) ?? '');

async function list(item: Item): Promise<Result<Outcome>> {
	const { workspace, request, settings, spec } = item;
	const query = { wanted: settings.limit, takesLimit: spec.takesLimit ?? false };
	const entries = await inTurn(
		item,
		async (channel) => await readPages(workspace.client, channel, request, query),
	);
	return entries.ok ? ok(withoutFiles(entries.value)) : entries;
}

/** One request without anything to remember: reads, updates, and what else neither creates nor approves. */
async function request(item: Item): Promise<Result<Outcome>> {
	const { workspace, request, spec } = item;
	const mayBeEmpty = spec.endpoint.success === undefined;
	const isById = spec.endpoint.path.endsWith('{id}');
	const validate = (body: unknown) =>
		(mayBeEmpty ? emptyOrObject(body) : mustBeObject(body)) ??
		(isById ? otherIdProblem(body, idIn(request)) : undefined);
	const answer = await inTurn(
		item,
		async (channel) => await workspace.client.request(channel, request, { validate }),
	);
	if (!answer.ok) return answer;
	const { body } = answer.value;
	return ok(withoutFiles([isRecord(body) ? body : { id: idIn(request) }]));
}

/** A successful job with its files; any other job as it is. */
async function withFiles(item: Item, job: Json): Promise<Result<Outcome>> {
	const isGood = isResource(job) && jobState(job, item.settings.terminalStatuses) === 'good';
	return isGood ? await collect(item, job) : ok(withoutFiles([job]));
}

async function readJob(item: Item): Promise<Result<Outcome>> {
	const found = await request(item);
	if (!found.ok) return found;
	const [job = {}] = found.value.resources;
	const outcome = await withFiles(item, job);
	const finished = jobState(job, item.settings.terminalStatuses) !== 'running';
	return outcome.ok ? ok({ ...outcome.value, finished }) : outcome;
}

async function createOne(item: Item): Promise<Result<Outcome>> {
	const made = await createJob(item);
	item.batch.addDelivery(item);
	if (!made.ok) return made;
	const hasEnded = jobState(made.value, item.settings.terminalStatuses) === 'good';
	return await withFiles(item, hasEnded ? await withOutputs(item, made.value) : made.value);
}

/**
 * Creates what an item asks for: one job, or one for each part of what does not fit into a request,
 * with its number and how many there are.
 */
async function create(item: Item): Promise<Result<Outcome>> {
	const { parts = [], node, origin } = item;
	if (parts.length < 2) return await createOne(item);
	const made = await Promise.all(
		parts.map(async (part, index) => {
			const name = `${origin.item}.${index}`;
			return await createOne({
				...item,
				request: part,
				part: `.${index}`,
				memory: itemMemory(node, name),
				origin: { ...origin, item: name },
			});
		}),
	);
	const failed = made.find((one) => !one.ok);
	if (failed && !failed.ok) return failed;
	const outcomes = made.flatMap((one) => (one.ok ? [one.value] : []));
	return ok({
		resources: outcomes.flatMap(({ resources }, index) =>
			resources.map((job) => ({ ...job, part: index + 1, parts: parts.length })),
		),
		files: outcomes.flatMap(({ files }) => files),
		warning: outcomes.find(({ warning }) => warning !== undefined)?.warning,
	});
}

/**
 * The job is read at the path of the request, whatever its kind: the key may not be allowed to read
 * it elsewhere.
 */
async function wait(item: Item): Promise<Result<Outcome>> {
	const { host, workspace, request, settings } = item;
	const found = await inTurn(
		item,
		async (channel) => await requestResource(workspace.client, channel, request),
	);
	if (!found.ok) return found;
	const { path } = request;
	const { terminalStatuses, waitTimeoutMs } = settings;
	const ended = await workspace.poller.wait(host.channel, found.value, waitTimeoutMs, {
		terminalStatuses,
		path,
	});
	if (!ended.ok) return ended;
	const done = toResult(ended.value, terminalStatuses);
	if (!done.ok) return done;
	const outcome = await collect(item, done.value);
	return outcome.ok ? ok({ ...outcome.value, finished: true }) : outcome;
}

/** If a repeat after a lost response finds the resource gone, the first request has deleted it. */
async function remove(item: Item): Promise<Result<Outcome>> {
	const { workspace, request } = item;
	const answer = await inTurn(
		item,
		async (channel) =>
			await workspace.client.request(channel, request, { validate: emptyOrObject }),
	);
	if (!answer.ok) {
		const { failure } = answer;
		const isDeleted = failure.kind === 'status' && isGone(failure.status) && failure.outcomeUnknown;
		if (!isDeleted) return answer;
	}
	const body = answer.ok && isRecord(answer.value.body) ? answer.value.body : {};
	return ok(withoutFiles([{ ...body, id: idIn(request), deleted: true }]));
}

async function file(item: Item): Promise<Result<Outcome>> {
	const sent = await inTurn(item, async () => await sendFile(item));
	return sent.ok ? ok(withoutFiles([sent.value])) : sent;
}

const HANDLERS: Record<OutputKind, Handler> = {
	resource: request,
	list,
	job: readJob,
	wait,
	deleted: remove,
	file,
};

/**
 * What would be sent for an item, all checks done: nothing goes out, no file is uploaded and
 * nothing is remembered, so that the real run starts from scratch.
 */
async function dryRun(item: Item): Promise<Result<Outcome>> {
	const { request, parts = [request], memory, credits, spec } = item;
	const { method, path } = request;
	const opened = await openRequest(item);
	if (!opened.ok) return opened;
	const { state } = memory;
	const attempt = state.is === 'new' ? state.firstKey : state.attempt;
	const idempotencyKey = keyOf(item, opened.value.requestFingerprint, attempt);
	const body = withoutReferences(request.body, (field) => `binary:${field}`);
	const known = 'job' in state ? state.job.id : undefined;
	// Not known where nothing like it was created in this execution.
	const price = credits.priceOf(spec.endpoint, request.body);
	const preview: Json = {
		dryRun: true,
		...(price !== undefined && { estimated_credits: price * parts.length }),
		...(parts.length > 1 && { parts: parts.length }),
		method,
		path,
		body,
		...(idempotencyKey !== undefined && { idempotencyKey }),
		...(known !== undefined && { existingJob: known }),
	};
	return ok(withoutFiles([preview]));
}

/**
 * A response without signing secrets. The specification does not show the name of the field (Other
 * response bodies), so every field with `secret` in its name is removed, at any depth.
 */
export function withoutSigningSecret(record: Json): Json {
	const kept = Object.entries(record).filter(([name]) => !/secret/i.test(name));
	return Object.fromEntries(kept.map(([name, value]) => [name, withoutSecretWithin(value)]));
}

function withoutSecretWithin(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutSecretWithin);
	return isRecord(value) ? withoutSigningSecret(value) : value;
}

/** A resource as it is output: simplified if wanted, without secrets unless the user asked for them. */
function forOutput({ spec, settings }: Item, resource: Json): Json {
	const hides = spec.holdsSecret && !settings.includeSecret;
	const open = hides ? withoutSigningSecret(resource) : resource;
	return settings.simplify && spec.simplify ? spec.simplify(open) : open;
}

/** Runs the operation of an item, from its checked request to its output. */
export async function runOperation(item: Item): Promise<Result<Outcome>> {
	const { settings, spec } = item;
	const creates = async () => await (settings.dryRun ? dryRun(item) : create(item));
	const result =
		halted(item) ?? (spec.creates ? await creates() : await HANDLERS[spec.output](item));
	if (!result.ok) {
		halt(item, result);
		return result;
	}
	const resources = result.value.resources.map((resource) => forOutput(item, resource));
	return ok({ ...result.value, resources });
}
