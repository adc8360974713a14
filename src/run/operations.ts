import { fail, ok, type Failed, type Result } from '../base/result';
import { isRecord, isResource, type ApiRequest, type Json } from '../base/types';
import { idIn, mustBeObject, otherIdProblem, requestResource } from '../service/client';
import { readPages } from '../service/pages';
import { isGone } from '../service/statuses';
import { jobState, toResult } from '../service/jobState';
import { sendFile } from './uploads';
import { notApproved } from './agent';
import { createJob } from './creation';
import { dryRun } from './dryRun';
import { halt, halted, inTurn } from './run';
import type { Item, Outcome, OutputKind } from './item';
import { customKeyProblem } from './keys';
import { itemMemory, placeOfPart } from './state';
import { collect, withOutputs } from './files';

type Handler = (item: Item) => Promise<Result<Outcome>>;

const withoutFiles = (resources: Json[]): Outcome => ({ resources, files: [] });

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
	const answer = await inTurn(item, async ({ workspace, host, request }) => {
		return await workspace.client.request(host.channel, request, { validate });
	});
	return answer.ok ? ok(answer.value.body) : answer;
}

async function list(item: Item): Promise<Result<Outcome>> {
	const { settings, spec } = item;
	const query = { wanted: settings.limit, takesLimit: spec.takesLimit ?? false };
	const entries = await inTurn(item, async ({ workspace, host, request }) => {
		return await readPages(workspace.client, host.channel, request, query);
	});
	return entries.ok ? ok(withoutFiles(entries.value)) : entries;
}

/** One request without anything to remember: reads, updates, and what else neither creates nor approves. */
async function request(item: Item): Promise<Result<Outcome>> {
	const { request, spec } = item;
	const mayBeEmpty = spec.endpoint.success === undefined;
	const isById = spec.endpoint.path.endsWith('{id}');
	const body = await ask(
		item,
		(body) =>
			(mayBeEmpty ? emptyOrObject(body) : mustBeObject(body)) ??
			(isById ? otherIdProblem(body, idIn(request)) : undefined),
	);
	if (!body.ok) return body;
	return ok(withoutFiles([isRecord(body.value) ? body.value : { id: idIn(request) }]));
}

/** If a repeat after a lost response finds the resource gone, the first request has deleted it. */
async function remove(item: Item): Promise<Result<Outcome>> {
	const body = await ask(item, emptyOrObject);
	const isDeleted = ({ failure }: Failed) =>
		failure.kind === 'status' && isGone(failure.status) && failure.outcomeUnknown;
	if (!body.ok && !isDeleted(body)) return body;
	const rest = body.ok && isRecord(body.value) ? body.value : {};
	return ok(withoutFiles([{ ...rest, id: idIn(item.request), deleted: true }]));
}

async function file(item: Item): Promise<Result<Outcome>> {
	const sent = await inTurn(item, sendFile);
	return sent.ok ? ok(withoutFiles([sent.value])) : sent;
}

/** A successful job with its files; any other job as it is. */
async function withFiles(item: Item, job: Json): Promise<Result<Outcome>> {
	const isGood = isResource(job) && jobState(job, item.settings.terminalStatuses) === 'good';
	return isGood ? await collect(item, job) : ok(withoutFiles([job]));
}

/** What is no job, with its preview if it has one. */
async function resource(item: Item): Promise<Result<Outcome>> {
	const read = await request(item);
	const [one] = read.ok ? read.value.resources : [];
	return isResource(one) ? await collect(item, one) : read;
}

async function readJob(item: Item): Promise<Result<Outcome>> {
	const found = await request(item);
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
	const outcome = await collect(item, done.value);
	return outcome.ok ? ok({ ...outcome.value, finished: true }) : outcome;
}

async function createOne(item: Item): Promise<Result<Outcome>> {
	const made = await createJob(item);
	if (!made.ok) return made;
	const unapproved = notApproved(item, made.value);
	if (unapproved) return unapproved;
	if (item.spec.output === 'resource') return await collect(item, made.value);
	const hasEnded = jobState(made.value, item.settings.terminalStatuses) === 'good';
	return await withFiles(item, hasEnded ? await withOutputs(item, made.value) : made.value);
}

/** Creates what an item asks for. Not `async`: thousands may wait. */
function create(item: Item): Promise<Result<Outcome>> {
	const { parts = [] } = item;
	return parts.length < 2 ? createOne(item) : createParts(item, parts);
}

/** A job for each part of what does not fit into a request, with its number and how many there are. */
async function createParts(item: Item, parts: ApiRequest[]): Promise<Result<Outcome>> {
	const { node, origin, settings } = item;
	// A key of the user's own is that of one request; and `1-1` may be that of another item beside `1`.
	const keyOfPart = (number: number) => `${settings.idempotencyKey}#part=${number}`;
	const problem =
		settings.idempotency === 'custom' ? customKeyProblem(keyOfPart(parts.length)) : undefined;
	if (problem) return fail({ kind: 'input', field: 'Own Key', problem });
	const made = await Promise.all(
		parts.map(async (part, index) => {
			const name = placeOfPart(origin.item, index);
			const memory = itemMemory(node, name);
			const ofPart = {
				request: part,
				part: `.${index}`,
				memory,
				origin: { ...origin, item: name },
				settings: { ...settings, idempotencyKey: keyOfPart(index + 1) },
			};
			return await createOne({ ...item, ...ofPart });
		}),
	);
	// What was not sent because of another part says nothing by itself.
	const reason = made.find((one) => !one.ok && one.failure.kind !== 'skipped');
	const whole = withoutFiles([]);
	for (const [index, one] of made.entries()) {
		if (!one.ok) return reason ?? one;
		const numbered = { part: index + 1, parts: parts.length };
		whole.resources.push(...one.value.resources.map((job) => ({ ...job, ...numbered })));
		whole.files.push(...one.value.files);
		whole.warning ??= one.value.warning;
	}
	return ok(whole);
}

const HANDLERS: Record<OutputKind, Handler> = {
	resource,
	list,
	job: readJob,
	wait,
	deleted: remove,
	file,
};

function handlerOf({ spec, settings }: Item): Handler {
	if (!spec.creates) return HANDLERS[spec.output];
	return settings.dryRun ? dryRun : create;
}

/**
 * A response without signing secrets. The specification does not show the name of the field (Other
 * response bodies), so every field with `secret` in its name is removed, at any depth.
 */
const withoutSigningSecret = (record: Json): Json =>
	JSON.parse(JSON.stringify(record), (name, value: unknown) =>
		/secret/i.test(name) ? undefined : value,
	) as Json;

/** A resource as it is output: simplified if wanted, without secrets unless the user asked for them. */
function forOutput({ spec, settings }: Item, resource: Json): Json {
	const hides = spec.holdsSecret && !settings.includeSecret;
	const open = hides ? withoutSigningSecret(resource) : resource;
	return settings.simplify && spec.simplify ? spec.simplify(open) : open;
}

/** Runs the operation of an item, from its checked request to its output. */
export async function runOperation(item: Item): Promise<Result<Outcome>> {
	const result = halted(item) ?? (await handlerOf(item)(item));
	if (!result.ok) {
		halt(item, result);
		return result;
	}
	const resources = result.value.resources.map((resource) => forOutput(item, resource));
	const warnings = [result.value.warning, item.warning].filter((one) => one !== undefined);
	const warning = warnings.length > 0 ? warnings.join('. ') : undefined;
	return ok({ ...result.value, resources, warning });
}
