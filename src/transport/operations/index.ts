import { answerAgent } from './agentAnswer';
import type { RequestOptions } from '../client/client';
import { create } from './create';
import { toResult, jobState } from '../jobs/jobState';
import { collect } from './outputs';
import { readPages } from '../client/pagination';
import { ok, type Result } from '../base/result';
import type { Outcome, OutputKind, Item } from '../item/item';
import { withoutSigningSecret } from './hideSecrets';
import { sendFile } from './sendFile';
import { isRecord, isResource, type ApiRequest, type Resource } from '../base/types';

type Handler = (item: Item) => Promise<Result<Outcome>>;

const withoutFiles = (resources: Resource[]): Outcome => ({ resources, files: [] });

/** Where the specification shows no answer, none is as good as an object. */
const openFlaw: RequestOptions['validate'] = (body) => {
	const isBlank = body === undefined || body === null || body === '';
	return isBlank || isRecord(body) ? undefined : 'it is no JSON object';
};

/** The id that a request to a single resource ends with. */
const idIn = ({ path }: ApiRequest): string => decodeURIComponent(path.split('/').at(-1) ?? '');

async function list({ host, workspace, request, settings, spec }: Item): Promise<Result<Outcome>> {
	const query = { wanted: settings.wanted, takesLimit: spec.takesLimit ?? false };
	const entries = await readPages(workspace.client, host.channel, request, query);
	return entries.ok ? ok(withoutFiles(entries.value as Resource[])) : entries;
}

async function read(item: Item): Promise<Result<Outcome>> {
	const { host, workspace, request, spec } = item;
	const validate = spec.endpoint.success ? undefined : openFlaw;
	const answer = await workspace.client.request(host.channel, request, { validate });
	if (!answer.ok) return answer;
	const { body } = answer.value;
	return ok(withoutFiles([isRecord(body) ? (body as Resource) : { id: idIn(request) }]));
}

/** The files of a job that has ended well; of any other the job as it is. */
async function withFiles(item: Item, job: Resource): Promise<Result<Outcome>> {
	const isGood = isResource(job) && jobState(job, item.settings.terminalStatuses) === 'good';
	return isGood ? await collect(item, job) : ok(withoutFiles([job]));
}

async function job(item: Item): Promise<Result<Outcome>> {
	if (item.spec.endpoint.method === 'POST') return await make(item);
	const found = await read(item);
	return found.ok ? await withFiles(item, found.value.resources[0] as Resource) : found;
}

async function make(item: Item): Promise<Result<Outcome>> {
	const made = await create(item);
	return made.ok ? await withFiles(item, made.value) : made;
}

/** A job is read where it was found, whatever it is: the key may not be allowed to read it anywhere else. */
async function wait(item: Item): Promise<Result<Outcome>> {
	const { host, workspace, request, settings } = item;
	const validate = (body: unknown) => (isResource(body) ? undefined : 'it has no id');
	const found = await workspace.client.request(host.channel, request, { validate });
	if (!found.ok) return found;
	const { path } = request;
	const { terminalStatuses, waitTimeoutMs } = settings;
	const job = found.value.body as Resource;
	const ended = await workspace.jobPoller.wait(host.channel, job, waitTimeoutMs, {
		terminalStatuses,
		path,
	});
	if (!ended.ok) return ended;
	const done = toResult(ended.value.job, terminalStatuses);
	return done.ok ? await collect(item, done.value) : done;
}

/** What a repeat finds gone after an answer was lost, the lost request has deleted. */
async function remove({ host, workspace, request }: Item): Promise<Result<Outcome>> {
	const answer = await workspace.client.request(host.channel, request, { validate: openFlaw });
	if (!answer.ok) {
		const { failure } = answer;
		const isGone = failure.kind === 'status' && failure.status === 404 && failure.unclear;
		if (!isGone) return answer;
	}
	const said = answer.ok && isRecord(answer.value.body) ? answer.value.body : {};
	return ok(withoutFiles([{ ...said, id: idIn(request), deleted: true }]));
}

async function file(item: Item): Promise<Result<Outcome>> {
	const sent = await sendFile(item);
	return sent.ok ? ok(withoutFiles([sent.value])) : sent;
}

const HANDLERS: Record<OutputKind, Handler> = {
	resource: async (item) =>
		item.spec.endpoint.method === 'POST' ? await make(item) : await read(item),
	list,
	job,
	wait,
	deleted: remove,
	file,
};

/** A resource as the user wants to see it. */
function presented({ spec, settings }: Item, resource: Resource): Resource {
	const hides = spec.holdsSecret && !settings.includeSecret;
	const open = hides ? (withoutSigningSecret(resource) as Resource) : resource;
	const simple = settings.simplify && spec.simplify && isRecord(open) ? spec.simplify(open) : open;
	return simple as Resource;
}

/** What becomes of an item, from its checked request to what it outputs. */
export async function runOperation(item: Item): Promise<Result<Outcome>> {
	const told = answerAgent(item, await HANDLERS[item.spec.output](item));
	if (!told.ok) return told;
	const resources = told.value.resources.map((resource) => presented(item, resource));
	return ok({ ...told.value, resources });
}
