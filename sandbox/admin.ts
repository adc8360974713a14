import { json, Router } from 'express';
import { z } from 'zod/v4';

import { ENDPOINTS, EVENTS, SCOPES } from '../src/api';
import { listKeys } from './createService';
import type { DeliveryEntity, JobEntity } from './entities';
import { ApiError, found } from './errors';
import { FAULT_NAMES, STORAGE } from './faults';
import type { RequestEntry } from './http/exchange';
import { validate } from './http/validate';
import { JOBS } from './resources';
import { sendFile } from './resources/files';
import { runningGenerations } from './resources/generations';
import type { Service } from './service';
import { patchSettings, SETTING_NOTES, settingsSchema } from './settings';
import { MEDIA_FORMATS, outputName } from './storage/links';
import { drawOutput, idIn } from './storage/references';
import type { Workspace } from './store';

/** More than any job costs, and far from what numbers can no longer count. */
const MOST_CREDITS = 1e12;

const creditsSchema = z.strictObject({
	workspace: z.string(),
	amount: z.int().min(-MOST_CREDITS).max(MOST_CREDITS),
});

const workspaceSchema = z.strictObject({ entitled: z.boolean().optional() });

const keySchema = z.strictObject({
	key: z.string().regex(/^[\x21-\x7e]{1,200}$/, {
		error: 'must be 1 to 200 visible ASCII characters',
	}),
	workspace: z.string().regex(/^[\w.-]{1,80}$/, {
		error: 'must be 1 to 80 letters, digits, dots, hyphens or underscores',
	}),
	scopes: z.array(z.enum(SCOPES)),
});

const ledgerQuery = z.strictObject({ workspace: z.string().optional() });

/**
 * The admin path: JSON, no key, never under the contract's addresses. It is fiction of the sandbox.
 */
export function admin(service: Service, reset: () => Promise<void>): Router {
	const { store, ledger, faults, requests, clock } = service;
	const router = Router();
	router.use(json({ limit: '1mb' }));
	const known = (id: string) => {
		const workspace = store.workspaces.get(id);
		if (workspace) return workspace;
		throw new ApiError(404, 'not_found', `There is no workspace ${id}.`);
	};

	router.post('/reset', async (_request, response) => {
		await reset();
		response.json({ reset: true });
	});
	router.get('/settings', (_request, response) => response.json(service.settings));
	router.patch('/settings', (request, response) => {
		const settings = patchSettings(service.settings, request.body);
		if (settings.clockScale !== clock.scale) clock.rescale(settings.clockScale);
		response.json(Object.assign(service.settings, settings));
	});
	router.get('/faults', (_request, response) => response.json({ rules: faults.list() }));
	router.put('/faults', (request, response) => {
		faults.replace(request.body);
		response.json({ rules: faults.list() });
	});
	router.post('/credits', (request, response) => {
		const { workspace, amount } = validate(creditsSchema, request.body);
		const toppedUp = known(workspace);
		ledger.grant(workspace, amount);
		// Specification: What the service does: any successful top-up gives access.
		if (amount > 0) {
			toppedUp.entity.entitled = true;
			toppedUp.save();
		}
		response.json(ledger.balance(workspace));
	});
	router.get('/ledger', (request, response) => {
		const { workspace } = validate(ledgerQuery, { ...request.query }, 'query');
		const id = workspace === undefined ? undefined : known(workspace).id;
		response.json({ ...(id && { balance: ledger.balance(id) }), lines: ledger.read(id) });
	});
	router.get('/requests', (_request, response) => response.json({ data: requests.list() }));
	router.get('/deliveries', (_request, response) =>
		response.json({ data: deliveriesOf(service).reverse() }),
	);
	router.get('/overview', (_request, response) => void response.json(overview(service)));
	router.get('/forms', (_request, response) => void response.json(forms()));
	router.get('/outputs/:name', async (request, response) => {
		const output = found(
			store.find(({ outputs }) => outputs, idIn(request.params.name)),
			'The output',
		);
		const { path } = await drawOutput(service, output);
		await sendFile(response, path, MEDIA_FORMATS[output.kind].mediaType);
	});
	router.get('/keys', (_request, response) => response.json({ data: listKeys(service) }));
	router.post('/keys', (request, response) => {
		const key = validate(keySchema, request.body);
		const exists = store.workspaces.has(key.workspace);
		if (!exists) store.addWorkspace({ id: key.workspace, entitled: true, liteCarry: 0 });
		store.addKey(key);
		response.status(201).json({ data: listKeys(service) });
	});
	router.patch('/workspaces/:id', (request, response) => {
		const workspace = known(request.params.id);
		Object.assign(workspace.entity, validate(workspaceSchema, request.body));
		workspace.save();
		response.json(workspace.entity);
	});
	return router;
}

/** Every attempt of all workspaces with its raw body, newest first; also of deleted webhooks. */
function deliveriesOf({ store }: Service): DeliveryEntity[] {
	const maps = [...store.workspaces.values()].map(({ deliveries }) => deliveries);
	const tables = maps.flatMap((each) => [...each.values()]);
	return tables.flatMap((table) => table.all()).sort((a, b) => b.createdAt - a.createdAt);
}

/** What the page makes its forms from: the schema that judges what they send, and words. */
function forms(): object {
	const schema = z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' });
	return {
		settings: { schema, notes: SETTING_NOTES },
		faults: {
			names: FAULT_NAMES,
			operations: Object.keys(ENDPOINTS),
			storage: STORAGE,
			events: EVENTS,
		},
	};
}

const SHOWN = 40;

/**
 * What the page shows: the newest of everything, and the newest of what went wrong, so that it does
 * not disappear behind what went well.
 */
function overview(service: Service): object {
	const { ledger, faults, clock, store, links, settings } = service;
	const workspaces = [...store.workspaces.values()];
	const jobs = workspaces.flatMap(jobsOf).sort((a, b) => b.job.createdAt - a.job.createdAt);
	const ofContract = service.requests.list().filter(({ path }) => path.startsWith('/v1'));
	const requests = ofContract.reverse();
	const deliveries = deliveriesOf(service).map(shownDelivery);
	const newest = (some: DescribedJob[]) =>
		some.slice(0, SHOWN).map((each) => shownJob(service, each));
	return {
		base_url: `${links.origin}/v1`,
		now: new Date(clock.now()).toISOString(),
		clock_scale: clock.scale,
		keys: listKeys(service),
		workspaces: workspaces.map((workspace) => ({
			id: workspace.id,
			running: runningGenerations(workspace),
			concurrent_jobs: settings.concurrentJobs,
			...ledger.balance(workspace.id),
		})),
		jobs: newest(jobs),
		failed_jobs: newest(jobs.filter(({ job }) => job.problems.length > 0)),
		requests: requests.slice(0, SHOWN).map(shownRequest),
		failed_requests: requests.filter(wentWrong).slice(0, SHOWN).map(shownRequest),
		requests_total: service.requests.total,
		deliveries: deliveries.slice(0, SHOWN),
		failed_deliveries: deliveries.filter(({ wrong }) => wrong).slice(0, SHOWN),
		faults: faults.list(),
		settings,
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

function shownJob({ clock, store }: Service, { job, kind, text }: DescribedJob): object {
	const { id, workspace, status, settledAt, dueAt } = job;
	return {
		id,
		workspace,
		kind,
		status,
		text: text.slice(0, 200),
		created: new Date(job.createdAt).toISOString(),
		credits: settledAt === null ? job.estimatedCredits : job.spentCredits,
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

const wentWrong = ({ status, answered, fault }: RequestEntry) =>
	status === null || status >= 400 || !answered || fault !== null;

function shownRequest(entry: RequestEntry): object {
	const { id, at, method, path, workspace, status, fault, error } = entry;
	return { id, at, method, path, workspace, status, fault, error, wrong: wentWrong(entry) };
}

const shownDelivery = (entity: DeliveryEntity) => {
	const { id, attemptedAt: at, event, url, attempt, state, fault, error } = entity;
	const status = entity.responseStatus;
	return { id, at, event, url, attempt, state, status, fault, error, wrong: state !== 'succeeded' };
};
