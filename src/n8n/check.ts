import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { ENDPOINTS, SCOPES, type Scope } from '../api';
import { fail, ok, type Failed, type Result } from '../base/result';
import type { Input, NodeCall } from './call';
import { sendingOf, type Sending } from './requestOptions';
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
	credential: ICredentialDataDecryptedObject;
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
const NO_SERVICE: Access = { baseUrl: '', key: '', limits: rateLimitsOf({}), credential: {} };

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
	return ok({ baseUrl, key, limits: rateLimitsOf(credential), credential });
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

/** The scopes that the credential says the key lacks. */
export const excludedScopes = ({ credential }: Access): Scope[] =>
	SCOPES.filter((scope) => excludedScope(credential, [scope]) !== undefined);

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
		const excluded = excludedScope(access.value.credential, scopesNeeded(spec, prepared.value));
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
