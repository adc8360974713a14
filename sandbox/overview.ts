import { listKeys } from './createService';
import type { DeliveryEntity, JobEntity } from './entities';
import { wentWrong, type RequestEntry } from './http/exchange';
import { JOBS } from './resources';
import { runningGenerations } from './resources/generations';
import type { Service } from './service';
import { MEDIA_FORMATS, outputName } from './storage/links';
import type { Workspace } from './store';

const SHOWN = 40;

/**
 * What the page shows: what all has come to, and of each list how many there are and the newest; of what went
 * wrong too, so that it does not disappear behind what went well.
 *
 * @param search words that must all occur in what is shown of an entry of a list
 */
export function overview(service: Service, search: string): object {
	const { faults, clock, store, links, settings } = service;
	const words = search.toLowerCase().split(/\s+/).filter(Boolean);
	const find = <T>(entries: T[], show: (entry: T) => object) => newestOf(entries, show, words);

	const workspaces = [...store.workspaces.values()];
	const jobs = workspaces.flatMap(jobsOf).sort((a, b) => b.job.createdAt - a.job.createdAt);
	const all = service.requests.list();
	const makers = makersOf(all);
	const showJob = (each: DescribedJob) => shownJob(service, each, makers.get(each.job.id));
	const requests = all.filter(({ path }) => path.startsWith('/v1')).reverse();
	const deliveries = deliveriesOf(service);
	const hasEnded = ({ job }: DescribedJob) => job.settledAt !== null;
	return {
		base_url: `${links.origin}/v1`,
		now: new Date(clock.now()).toISOString(),
		clock_scale: clock.scale,
		keys: listKeys(service),
		workspaces: workspaces.map((workspace) => shownWorkspace(service, workspace)),
		totals: totalsOf(service, workspaces, jobs),
		jobs: find(jobs, showJob),
		running: find(
			jobs.filter((each) => !hasEnded(each)),
			showJob,
		),
		made: find(
			jobs.filter((each) => hasEnded(each) && each.job.outputs.length > 0),
			showJob,
		),
		failed: find(
			jobs.filter(({ job }) => job.problems.length > 0),
			showJob,
		),
		requests: find(requests, shownRequest),
		failed_requests: find(requests.filter(wentWrong), shownRequest),
		deliveries: find(deliveries, shownDelivery),
		failed_deliveries: find(
			deliveries.filter(({ state }) => state !== 'succeeded'),
			shownDelivery,
		),
		faults: faults.list(),
		settings,
	};
}

/** How many entries have all words in what is shown of them, and the newest of these. */
function newestOf<T>(entries: T[], show: (entry: T) => object, words: string[]) {
	if (words.length === 0)
		return { total: entries.length, newest: entries.slice(0, SHOWN).map(show) };
	const found = entries.map(show).filter((shown) => {
		const text = Object.values(shown).join(' ').toLowerCase();
		return words.every((word) => text.includes(word));
	});
	return { total: found.length, newest: found.slice(0, SHOWN) };
}

/** Sums since the start, also of what is no longer kept. */
function totalsOf(
	{ ledger, usage, requests }: Service,
	workspaces: Workspace[],
	jobs: DescribedJob[],
) {
	const sum = (count: (workspace: Workspace) => number) =>
		workspaces.reduce((before, workspace) => before + count(workspace), 0);
	return {
		jobs: jobs.length + sum(({ entity }) => entity.forgottenJobs ?? 0),
		running: jobs.filter(({ job }) => job.settledAt === null).length,
		files: sum(({ id }) => usage.sums(id).reduce((before, { outputs }) => before + outputs, 0)),
		spent: sum(({ id }) => ledger.balance(id).spent),
		reserved: sum(({ id }) => ledger.balance(id).reserved),
		requests: requests.total,
		wrong: requests.wrong,
	};
}

function shownWorkspace({ ledger, settings }: Service, workspace: Workspace): object {
	return {
		id: workspace.id,
		running: runningGenerations(workspace),
		concurrent_jobs: settings.concurrentJobs,
		...ledger.balance(workspace.id),
	};
}

/** A job, what it makes, and what was asked for. */
interface DescribedJob {
	job: JobEntity & { status: string };
	kind: string;
	text: string;
}

const jobsOf = (workspace: Workspace): DescribedJob[] =>
	JOBS.flatMap(({ tableOf, describe }) =>
		tableOf(workspace)
			.all()
			.map((job) => ({ job, ...describe(job) })),
	);

/** Which request has made each job: the first that was answered with its id. */
function makersOf(requests: RequestEntry[]): Map<string, RequestEntry> {
	const makers = new Map<string, RequestEntry>();
	for (const entry of requests) {
		const { method, path, resource } = entry;
		const isMaker = method === 'POST' && resource !== null && !path.includes(resource);
		if (isMaker && !makers.has(resource)) makers.set(resource, entry);
	}
	return makers;
}

function shownJob(
	{ clock, store }: Service,
	{ job, kind, text }: DescribedJob,
	maker: RequestEntry | undefined,
): object {
	const { id, workspace, status, settledAt, dueAt } = job;
	return {
		id,
		workspace,
		kind,
		status,
		text: text.slice(0, 200),
		created: new Date(job.createdAt).toISOString(),
		credits: settledAt === null ? job.estimatedCredits : job.spentCredits,
		/** `null` where the request is no longer kept, or no execution sent it. */
		request: maker?.id ?? null,
		execution: maker?.execution ?? null,
		/** Real seconds until it goes on; `null` where it does not. */
		due_in:
			settledAt === null && dueAt !== null
				? Math.max(0, Math.ceil((dueAt - clock.now()) / 1000))
				: null,
		problems: job.problems.map(({ message, output }) =>
			output === undefined ? message : `${message} (${output})`,
		),
		previews: job.outputs.flatMap((name) => {
			const output = store.workspaces.get(workspace)?.outputs.get(name);
			if (!output) return [];
			// Not the address that clients are given, so that the page's looking is no traffic.
			const url = `/sandbox/outputs/${outputName(output)}`;
			return [{ url, media_type: MEDIA_FORMATS[output.kind].mediaType }];
		}),
	};
}

function shownRequest(entry: RequestEntry): object {
	const { id, at, method, path, workspace, resource, execution, status, fault, error } = entry;
	const wrong = wentWrong(entry);
	return { id, at, method, path, workspace, resource, execution, status, fault, error, wrong };
}

/** Every attempt of all workspaces with its raw body, newest first; also of deleted webhooks. */
export function deliveriesOf({ store }: Service): DeliveryEntity[] {
	const maps = [...store.workspaces.values()].map(({ deliveries }) => deliveries);
	const tables = maps.flatMap((each) => [...each.values()]);
	return tables.flatMap((table) => table.all()).sort((a, b) => b.createdAt - a.createdAt);
}

function shownDelivery(entity: DeliveryEntity): object {
	const { id, attemptedAt: at, event, url, attempt, state, fault, error } = entity;
	const status = entity.responseStatus;
	return { id, at, event, url, attempt, state, status, fault, error, wrong: state !== 'succeeded' };
}
