import { answerAgent } from './agentAnswer';
import type { Asking } from '../client/client';
import { create } from './create';
import { endedJob, jobState } from '../jobs/jobState';
import { collect } from './outputs';
import { readPages } from '../client/pagination';
import { ok, type Result } from '../base/result';
import type { Outcome, OutputKind, Run } from '../item/item';
import { withoutSigningSecret } from './hideSecrets';
import { sendFile } from './sendFile';
import { isRecord, isResource, type ApiRequest, type Resource } from '../base/types';

type Story = (run: Run) => Promise<Result<Outcome>>;

const whole = (resources: Resource[]): Outcome => ({ resources, files: [] });

/** Where the specification shows no answer, none is as good as an object. */
const openFlaw: Asking['flaw'] = (body) => {
	const isBlank = body === undefined || body === null || body === '';
	return isBlank || isRecord(body) ? undefined : 'it is no JSON object';
};

/** The id that a request to a single resource ends with. */
const idIn = ({ path }: ApiRequest): string => decodeURIComponent(path.split('/').at(-1) ?? '');

async function list({ host, workspace, request, settings, plan }: Run): Promise<Result<Outcome>> {
	const query = { wanted: settings.wanted, takesLimit: plan.takesLimit ?? false };
	const entries = await readPages(workspace.client, host.line, request, query);
	return entries.ok ? ok(whole(entries.value as Resource[])) : entries;
}

async function read(run: Run): Promise<Result<Outcome>> {
	const { host, workspace, request, plan } = run;
	const flaw = plan.endpoint.success ? undefined : openFlaw;
	const answer = await workspace.client.request(host.line, request, { flaw });
	if (!answer.ok) return answer;
	const { body } = answer.value;
	return ok(whole([isRecord(body) ? (body as Resource) : { id: idIn(request) }]));
}

/** The files of a job that has ended well; of any other the job as it is. */
async function withFiles(run: Run, job: Resource): Promise<Result<Outcome>> {
	const isGood = isResource(job) && jobState(job, run.settings.endings) === 'good';
	return isGood ? await collect(run, job) : ok(whole([job]));
}

async function job(run: Run): Promise<Result<Outcome>> {
	if (run.plan.endpoint.method === 'POST') return await make(run);
	const found = await read(run);
	return found.ok ? await withFiles(run, found.value.resources[0] as Resource) : found;
}

async function make(run: Run): Promise<Result<Outcome>> {
	const made = await create(run);
	return made.ok ? await withFiles(run, made.value) : made;
}

/** A job is read where it was found, whatever it is: the key may not be allowed to read it anywhere else. */
async function wait(run: Run): Promise<Result<Outcome>> {
	const { host, workspace, request, settings } = run;
	const flaw = (body: unknown) => (isResource(body) ? undefined : 'it has no id');
	const found = await workspace.client.request(host.line, request, { flaw });
	if (!found.ok) return found;
	const { path } = request;
	const { endings, waitTimeoutMs } = settings;
	const job = found.value.body as Resource;
	const ended = await workspace.watch.wait(host.line, job, waitTimeoutMs, { endings, path });
	if (!ended.ok) return ended;
	const done = endedJob(ended.value.job, endings);
	return done.ok ? await collect(run, done.value) : done;
}

/** What a repeat finds gone after an answer was lost, the lost request has deleted. */
async function remove({ host, workspace, request }: Run): Promise<Result<Outcome>> {
	const answer = await workspace.client.request(host.line, request, { flaw: openFlaw });
	if (!answer.ok) {
		const { failure } = answer;
		const isGone = failure.kind === 'status' && failure.status === 404 && failure.unclear;
		if (!isGone) return answer;
	}
	const said = answer.ok && isRecord(answer.value.body) ? answer.value.body : {};
	return ok(whole([{ ...said, id: idIn(request), deleted: true }]));
}

async function file(run: Run): Promise<Result<Outcome>> {
	const sent = await sendFile(run);
	return sent.ok ? ok(whole([sent.value])) : sent;
}

const STORIES: Record<OutputKind, Story> = {
	resource: async (run) =>
		run.plan.endpoint.method === 'POST' ? await make(run) : await read(run),
	list,
	job,
	wait,
	deleted: remove,
	file,
};

/** A resource as the user wants to see it. */
function presented({ plan, settings }: Run, resource: Resource): Resource {
	const hides = plan.holdsSecret && !settings.includeSecret;
	const open = hides ? (withoutSigningSecret(resource) as Resource) : resource;
	const simple = settings.simplify && plan.simplify && isRecord(open) ? plan.simplify(open) : open;
	return simple as Resource;
}

/** What becomes of an item, from its checked request to what it outputs. */
export async function story(run: Run): Promise<Result<Outcome>> {
	const told = answerAgent(run, await STORIES[run.plan.output](run));
	if (!told.ok) return told;
	const resources = told.value.resources.map((resource) => presented(run, resource));
	return ok({ ...told.value, resources });
}
