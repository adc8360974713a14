import type { IHttpRequestOptions } from 'n8n-workflow';
import { ENDPOINTS, SCOPES, type Scope } from '../api';
import { fail, ok, type Failed, type Result } from '../base/result';
import type { Input, NodeCall, NodeRequestOptions } from './call';
import {
	CREDENTIAL,
	excludedScope,
	rateLimitsOf,
	readCredential,
	type RateLimits,
} from '../transport/credential';
import { readerOf } from '../transport/jobState';
import type { Labels } from './errorContext';
import { asksForFirstModel } from '../creation/firstModel';
import type { OperationSpec, Prepared } from '../creation/item';
import { GIVE_EACH_A_KEY } from '../creation/idempotency';
import { referencesIn } from '../creation/uploads';

/** An operation as it is run: what it does, and how an item of n8n becomes its request. */
export interface Runnable {
	spec: OperationSpec;
	/** Those of its fields, by the names of these fields in the API. */
	labels: Labels;
	/** @param baseUrl of the service, as the credential says */
	prepare(call: NodeCall, input: Input, baseUrl: string): Result<Prepared>;
}

interface Access {
	baseUrl: string;
	key: string;
	limits: RateLimits;
	/** The scopes that the credential says the key lacks. */
	excludedScopes: readonly Scope[];
}

/** An item that is ready to be run. */
export interface Ready extends Prepared {
	access: Access;
	/** Whether its credential leads to a service: not needed by a dry run. */
	hasService: boolean;
	/** Why it does not, where that is a row of the output. */
	noService?: Failed;
	/** What Request Options say. */
	sending: Sending;
}

/** For what needs no credential. */
const NO_SERVICE: Access = { baseUrl: '', key: '', limits: rateLimitsOf({}), excludedScopes: [] };

/** Where no service is known, what any of them takes is valid. */
const THIS_MACHINE = 'http://localhost/v1';

/** What the credential says, or why it is of no use. */
async function readAccess(call: NodeCall, index: number): Promise<Result<Access>> {
	const unusable = (name: string, problem: string, hint?: string) =>
		fail({ kind: 'input', field: name, problem, hint });
	if (!call.node.credentials?.[CREDENTIAL])
		return unusable('The credential', 'is not set', 'Open the node and choose one, or create one');
	const credential = await call.credential(index).catch((error: Error) => error);
	if (credential instanceof Error)
		return unusable('The credential', `could not be read by n8n: ${credential.message}`);
	const read = readCredential(credential);
	if (read.problem !== undefined) return unusable(`${read.field} of the credential`, read.problem);
	const { baseUrl, apiKey: key } = read;
	const excludedScopes = SCOPES.filter((scope) => excludedScope(credential, [scope]) !== undefined);
	return ok({ baseUrl, key, limits: rateLimitsOf(credential), excludedScopes });
}

/** All scopes that an item will need, so that none turns out to be missing once something is paid for. */
function scopesNeeded(spec: OperationSpec, { request, settings }: Prepared): Scope[] {
	const { endpoint, output, object = '', creates, run } = spec;
	// Which it has is what it finds out.
	if (run) return [];
	const waits = output === 'job' && creates && settings.waitForCompletion;
	return [
		endpoint.scope,
		waits ? readerOf(object).scope : undefined,
		referencesIn(request.body).length > 0 ? ENDPOINTS.createFile.scope : undefined,
		settings.maxCreditsPerDay < Infinity ? ENDPOINTS.listGenerations.scope : undefined,
		asksForFirstModel(request) ? ENDPOINTS.listModels.scope : undefined,
	].filter((scope) => scope !== undefined);
}

/** Under one key there is one body, and which model is the first may change. */
const NO_FIRST_MODEL = fail({
	kind: 'input',
	field: 'Model',
	problem: 'is not chosen, which an Own Key needs: the first model of the workspace may change',
	hint: 'Choose a model, or another value of Avoid Paying Twice',
});

/** How all requests of an item are sent, as n8n's HTTP client takes it. */
export type Sending = Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation'> & {
	timeoutMs: number;
	/** Unless the items of the run begin all at once. */
	portions?: Portions;
};

/** How the items of a run begin: so many at once, and the next after a pause. */
interface Portions {
	size: number;
	pauseMs: number;
}

export const ALL_AT_ONCE: Portions = { size: Infinity, pauseMs: 0 };

/** Batching, as n8n's panel says: of the size -1 is off and 0 is 1, of the interval 0 is off. */
function portionsOf({ batching }: NodeRequestOptions): Portions | undefined {
	const size = Number(batching?.batch?.batchSize ?? 1);
	const pauseMs = Number(batching?.batch?.batchInterval ?? 0);
	if (!(pauseMs > 0) || size < 0) return undefined;
	return { size: size >= 1 ? size : 1, pauseMs };
}

/** The address of a proxy, which has to say its port. */
function proxyOf(text: string): IHttpRequestOptions['proxy'] {
	const { hostname, port: stated, protocol, username, password } = new URL(text);
	// `URL` leaves out the one that is usual for the protocol.
	const port = stated || /:(\d+)\/?$/.exec(text)?.[1];
	if (!hostname || !port) throw new Error('no host or port');
	const proxy = { host: hostname, port: Number(port), protocol: protocol.replace(/:$/, '') };
	if (username === '') return proxy;
	const auth = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
	return { ...proxy, auth };
}

/** What the user has set under Request Options for the requests of an item. */
export function sendingOf(call: NodeCall, index: number): Result<Sending> {
	const options = (call.parameter(index, 'requestOptions', {}) ?? {}) as NodeRequestOptions;
	const { proxy, timeout = 0, allowUnauthorizedCerts } = options;
	const sending: Sending = { timeoutMs: Number(timeout) };
	const portions = portionsOf(options);
	if (portions) sending.portions = portions;
	if (allowUnauthorizedCerts) sending.skipSslCertificateValidation = true;
	if (!proxy) return ok(sending);
	try {
		return ok({ ...sending, proxy: proxyOf(proxy) });
	} catch {
		const problem = `must be an address with a port, such as http://proxy.example.com:3128, got "${proxy}"`;
		return fail({ kind: 'input', field: 'Proxy', problem });
	}
}

async function checkItem(
	call: NodeCall,
	{ spec, prepare }: Runnable,
	input: Input,
): Promise<Result<Ready>> {
	const access = await readAccess(call, input.index);
	const prepared = prepare(call, input, access.ok ? access.value.baseUrl : THIS_MACHINE);
	if (!prepared.ok) return prepared;
	const { ownRequest, request } = prepared.value;
	if (ownRequest !== undefined && asksForFirstModel(request)) return NO_FIRST_MODEL;
	const sending = sendingOf(call, input.index);
	if (!sending.ok) return sending;
	const ready = { ...prepared.value, sending: sending.value };
	if (access.ok) {
		const { excludedScopes } = access.value;
		const needed = excludedScopes.length > 0 ? scopesNeeded(spec, prepared.value) : [];
		const excluded = needed.find((scope) => excludedScopes.includes(scope));
		if (excluded) return fail({ kind: 'scope', scope: excluded });
		return ok({ ...ready, access: access.value, hasService: true });
	}
	if (spec.run) return ok({ ...ready, access: NO_SERVICE, hasService: false, noService: access });
	const isDryRun = spec.creates === true && ready.settings.dryRun;
	return isDryRun ? ok({ ...ready, access: NO_SERVICE, hasService: false }) : access;
}

/**
 * Under one key of the user's own for different requests, every item would get the media of the first one.
 * None of them is sent, as it is unclear which one the key is meant for.
 */
function claimOwnKeys(items: Map<number, Result<Ready>>): void {
	const owners = new Map<string, { index: number; request: string }>();
	for (const [index, item] of [...items]) {
		if (!item.ok || item.value.ownRequest === undefined) continue;
		const { idempotencyKey } = item.value.settings;
		const owner = owners.get(idempotencyKey);
		if (!owner) owners.set(idempotencyKey, { index, request: item.value.ownRequest });
		if (!owner || owner.request === item.value.ownRequest) continue;
		const failed = fail({
			kind: 'input',
			field: 'Own Key',
			problem: `is the same for items ${owner.index + 1} and ${index + 1}, which make different requests`,
			hint: GIVE_EACH_A_KEY,
		});
		for (const each of [owner.index, index]) if (items.get(each)?.ok) items.set(each, failed);
	}
}

/** Reads and checks all items, before anything is sent. */
export async function checkAll(
	call: NodeCall,
	operation: Runnable,
): Promise<ReadonlyMap<number, Result<Ready>>> {
	const checked = await Promise.all(
		call.inputs.map(
			async (input) => [input.index, await checkItem(call, operation, input)] as const,
		),
	);
	const items = new Map(checked);
	claimOwnKeys(items);
	return items;
}
