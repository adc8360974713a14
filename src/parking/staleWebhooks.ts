import type { IExecuteSingleFunctions, IN8nHttpFullResponse } from 'n8n-workflow';
import type { Service } from '../trigger/connection';
import type { Workspace } from '../transport/workspace';
import { listParked, removeWebhook, type Listed } from './registration';
import { RESUME_PATH } from './webhooks';

/**
 * How long past its time a webhook of a parked execution is left alone, in ms: n8n resumes overdue
 * executions once a minute.
 */
const GRACE_MS = 60_000;

/**
 * The pause after a sweep, as a multiple of how long it took, because many executions may park at
 * once.
 */
const REST_FACTOR = 4;

/**
 * How long a parking run waits for the sweep, in ms; the sweep then continues in the background.
 */
const MAX_WAIT_MS = 5_000;

const PROBES_AT_ONCE = 8;
const PROBE_TIMEOUT_MS = 5_000;

type Sweep = () => Promise<void>;

/** A sweep, or the pause after it. */
interface Sweeping {
	/** Follows the pause: what this sweep came too early for would stay until somebody parks again. */
	next?: Sweep;
}

const sweepings = new WeakMap<Workspace, Sweeping>();

const textIn = (body: unknown) => (typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));

/**
 * Whether n8n says that the execution behind the address of a webhook is over. GET reaches no node
 * there: n8n refuses it and gives the reason. The worst that an impostor can achieve is the removal
 * of a webhook, which leaves an execution to its timer. Certificates are therefore not checked: an
 * n8n behind a proxy often has one that only its clients trust.
 */
async function isExecutionOver(context: IExecuteSingleFunctions, url: string): Promise<boolean> {
	try {
		const answer = (await context.helpers.httpRequest({
			method: 'GET',
			url,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			skipSslCertificateValidation: true,
			timeout: PROBE_TIMEOUT_MS,
		})) as IN8nHttpFullResponse;
		const text = textIn(answer.body);
		if (answer.statusCode === 409) return /finished/i.test(text);
		return answer.statusCode === 404 && /does not exist|could not find node/i.test(text);
	} catch {
		return false;
	}
}

/** The end of an address: the execution, and the path below its resume URL. */
const EXECUTION = new RegExp(`/[^/]+/${RESUME_PATH}$`);

/**
 * The part of an address that all executions of an n8n share: webhooks of another n8n are left
 * alone. `undefined` for the address of anything else, which must not be asked: a GET could resume
 * what waits there.
 */
function prefixOf(url: string): string | undefined {
	if (!URL.canParse(url)) return undefined;
	const { origin, pathname } = new URL(url);
	return EXECUTION.test(pathname) ? origin + pathname.replace(EXECUTION, '') : undefined;
}

async function sweep(
	context: IExecuteSingleFunctions,
	service: Service,
	candidates: Listed[],
): Promise<void> {
	const queue = [...candidates];
	const now = service.workspace.clock.now();
	const workers = Array.from({ length: PROBES_AT_ONCE }, async () => {
		for (let one = queue.shift(); one; one = queue.shift()) {
			// After its time the execution has resumed, and registers another webhook if it parks again.
			const isStale = one.until + GRACE_MS < now || (await isExecutionOver(context, one.url));
			if (isStale) await removeWebhook(service, one.id);
		}
	});
	await Promise.all(workers);
}

/** @returns when this sweep has ended; nobody waits for the pause after it, or for what follows */
async function startSweep(workspace: Workspace, first: Sweep): Promise<void> {
	const { clock } = workspace;
	const sweeping: Sweeping = {};
	sweepings.set(workspace, sweeping);
	const began = clock.monotonic();
	const swept = first().catch(() => {});
	void swept.then(async () => {
		await clock.sleep(REST_FACTOR * (clock.monotonic() - began));
		sweepings.delete(workspace);
		if (sweeping.next) void startSweep(workspace, sweeping.next);
	});
	await swept;
}

/**
 * Removes webhooks whose executions are over: killed while parking, cancelled or deleted while
 * parked, or resumed by their timer. None of our code runs in those cases, so the next parking run
 * with the same key does it.
 * @param own the address of this execution's webhook, by which webhooks of this n8n are recognised
 */
export async function removeStaleWebhooks(
	context: IExecuteSingleFunctions,
	service: Service,
	own: string,
	listed: Listed[],
): Promise<void> {
	const { workspace } = service;
	const prefix = prefixOf(own);
	if (prefix === undefined) return;
	const othersIn = (all: Listed[]) =>
		all.filter(({ url }) => url !== own && prefixOf(url) === prefix);
	const others = othersIn(listed);
	if (others.length === 0) return;
	const sweeping = sweepings.get(workspace);
	if (sweeping) {
		sweeping.next = async () => await sweep(context, service, othersIn(await listParked(service)));
		return;
	}
	const swept = startSweep(workspace, async () => await sweep(context, service, others));
	await Promise.race([swept, workspace.clock.sleep(MAX_WAIT_MS)]);
}
