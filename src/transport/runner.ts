import type {
	DeclarativeRestApiSettings,
	IExecutePaginationFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
} from 'n8n-workflow';
import { batchOf, type Batch } from './batch';
import { create } from './create';
import { nodeError, type ErrorContext } from './errors';
import { isOutOfCredits } from './halting';
import { errorItem, itemsOf } from './items';
import { jobState } from './job';
import { openRun } from './open';
import { collect } from './outputs';
import { readPages } from './pages';
import { ok, type Failed, type Result } from './result';
import type { OperationPlan, Outcome, Run } from './run';
import { inTurn } from './turn';
import { isResource, type Resource } from './types';

const whole = (resources: Resource[]): Outcome => ({ resources, files: [] });

async function list({ host, workspace, request, settings, plan }: Run): Promise<Result<Outcome>> {
	const query = { wanted: settings.wanted, takesLimit: plan.takesLimit ?? false };
	const entries = await readPages(workspace.client, host.line, request, query);
	return entries.ok ? ok(whole(entries.value as Resource[])) : entries;
}

async function read(run: Run): Promise<Result<Outcome>> {
	const { host, workspace, request, plan } = run;
	const answer = await workspace.client.request(host.line, request);
	if (!answer.ok) return answer;
	const resource = answer.value.body as Resource;
	if (plan.output !== 'job' || !isResource(resource)) return ok(whole([resource]));
	return jobState(resource) === 'good' ? await collect(run, resource) : ok(whole([resource]));
}

async function make(run: Run): Promise<Result<Outcome>> {
	const job = await create(run);
	if (!job.ok) return job;
	return jobState(job.value) === 'good' ? await collect(run, job.value) : ok(whole([job.value]));
}

async function story(run: Run): Promise<Result<Outcome>> {
	if (run.plan.output === 'list') return await list(run);
	return run.plan.endpoint.method === 'POST' ? await make(run) : await read(run);
}

/** Whether it is only for lack of credits, and the user wants error items for that. */
function isTolerated(failed: Failed, opened: Result<Run>): boolean {
	const { failure } = failed;
	const lacksCredits = failure.kind === 'notSent' ? failure.credits : isOutOfCredits(failed);
	return lacksCredits && opened.ok && opened.value.settings.onInsufficientCredits === 'continue';
}

function contextOf(batch: Batch, { endpoint }: OperationPlan, itemIndex: number): ErrorContext {
	const { submitted, notSubmitted } = batch;
	return { endpoint, itemIndex, submitted, notSubmitted };
}

/**
 * The runner: n8n's routing engine hands it the finished request of an item (as the pagination function of the node), and it
 * owns all that follows: turn, key, retries, paging, waiting, download, and what a failure becomes.
 *
 * Without Continue On Fail n8n throws the error of the first item that rejects, in their order, and sets that item's number
 * on it. So items that have no error of their own answer with nothing, and the one that has one is reported.
 */
export function runner(plan: OperationPlan) {
	return async function (
		this: IExecutePaginationFunctions,
		{ options }: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		const itemIndex = this.getItemIndex();
		const batch = batchOf(this);
		const prepared = batch?.of(itemIndex);
		if (!batch || !prepared) return [];
		const lenient = this.continueOnFail();
		if (!lenient && prepared.ok && batch.isDoomed) return [];

		const opened = prepared.ok ? await openRun(this, options as IHttpRequestOptions, plan, batch, prepared.value) : prepared;
		const result = opened.ok ? await inTurn(opened.value, story) : opened;
		batch.tellJobs();
		if (result.ok && opened.ok) return itemsOf(result.value, opened.value.settings, itemIndex);

		const failed = result as Failed;
		const tolerated = lenient || isTolerated(failed, opened);
		if (!tolerated && failed.failure.kind === 'notSent') return [];
		const error = nodeError(this.getNode(), failed, contextOf(batch, plan, itemIndex));
		if (tolerated) return [errorItem(error, itemIndex, failed.job)];
		throw batch.fails(error);
	};
}

