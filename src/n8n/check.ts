import { traverseNodeParameters, type FromAIArgument } from 'n8n-workflow';
import { ENDPOINTS, LIMITS, type Scope } from '../api';
import { getOrCreate } from '../base/maps';
import { fail, ok, type Failed, type Result } from '../base/result';
import { quoted } from '../base/texts';
import { isRecord, type Json } from '../base/types';
import { instancesIn, valueAt } from '../base/values';
import { isListed } from '../creation/credits/ledger';
import { GIVE_EACH_A_KEY, settingsOfParts } from '../creation/idempotency/idempotency';
import type { IdempotencyChoice, Prepared, Settings } from '../creation/item';
import type { OperationSpec } from '../creation/operationSpec';
import { BinaryReference } from '../files/localFile';
import { buildRequest, buildSettings } from '../fields/buildRequest';
import { asksForFirstModel } from '../fields/locators';
import { fieldsWithOptions, type Field, type Operation } from '../fields/operation';
import { fieldProblem, unknownFields, Values } from '../fields/readFields';
import { usualSettings } from '../fields/settings';
import { guardProblem } from '../fields/guards';
import type { HttpOptions } from './n8nHost';
import type { Input, NodeCall, Runnable } from './nodeCall';
import { CREDENTIAL, readCredential, type Access } from '../transport/credential';
import { readerOf } from '../transport/jobState';
import { storedRequestHashOf } from './remembered';

/*
 * Everything that can be known of the items of a run before a request is spent: what the credential says, the
 * values of the parameters, the request that they make, and whether the key may send it.
 */

/** An item whose parameters are valid. */
interface PreparedToSend extends Prepared {
	/** What the user has set under Request Options. */
	sendOptions: SendOptions;
}

/** An item that is ready to be run. */
export interface Ready extends PreparedToSend {
	access: Access;
	/** Why the credential leads to no service, where none is needed. */
	noService?: Failed;
}

/** By n8n's number of an item: what is ready to be run, or what is wrong with it. */
export type CheckedItems = ReadonlyMap<number, Result<Ready>>;

/** Reads and checks all items, before anything is sent. */
export async function checkAll(call: NodeCall, operation: Runnable): Promise<CheckedItems> {
	const checked = await Promise.all(
		call.inputs.map(
			async (input) => [input.index, await checkItem(call, operation, input)] as const,
		),
	);
	const items = new Map(checked);
	claimOwnKeys(items);
	return items;
}

async function checkItem(
	call: NodeCall,
	operation: Runnable,
	input: Input,
): Promise<Result<Ready>> {
	const { spec } = operation;
	const access = await readAccess(call, input.index);
	const baseUrl = access.ok ? access.value.baseUrl : THIS_MACHINE;
	const prepared = prepareItem(call, operation, input, baseUrl);
	if (!prepared.ok) return prepared;
	const ready = prepared.value;
	if (ready.ownRequest !== undefined && ready.lacksModel) return NO_FIRST_MODEL;
	if (access.ok) {
		const { excludedScopes } = access.value;
		const needed = excludedScopes.length > 0 ? scopesNeeded(spec, ready) : [];
		const excluded = needed.find((scope) => excludedScopes.includes(scope));
		if (excluded) return fail({ kind: 'scope', scope: excluded });
		return ok({ ...ready, access: access.value });
	}
	// Check Setup puts out as a row why there is no service, and a dry run needs none.
	const needsNone = spec.perform !== undefined || (spec.creates && ready.settings.dryRun);
	return needsNone ? ok({ ...ready, access: NO_SERVICE, noService: access }) : access;
}

/** Reads the credential. @returns why it cannot be used, if so */
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
	return ok(read);
}

/** What stands for the credential where none is needed. */
const NO_SERVICE: Access = {
	baseUrl: '',
	isLocal: false,
	apiKey: '',
	limits: LIMITS,
	excludedScopes: [],
};

/**
 * The base URL that values are checked against where the credential gives none: a service on this machine
 * takes every address.
 */
const THIS_MACHINE = 'http://localhost/v1';

/**
 * Reads the parameters of an item and checks them.
 * @param baseUrl of the service, as the credential says
 * @returns its request and its settings
 */
export function prepareItem(
	call: NodeCall,
	operation: Runnable,
	input: Input,
	baseUrl: string,
): Result<PreparedToSend> {
	if (hasForeignArguments(call, input)) return FOREIGN_ARGUMENTS;
	const { spec, constants, split, mapped, knownFields } = operation;
	const fields = fieldsWithOptions(operation);
	const read = readParameters(call, input, [...fields, REQUEST_OPTIONS]);
	if (!read.ok) return read;
	const unused = unknownFields(read.value, fields);
	const wrong = guardProblem(operation, knownFields, call.node.parameters, read.value, unused);
	if (wrong) return wrong;
	const { isTool, timezone } = call;
	const { files } = input;
	const context = { baseUrl, files, timezone, findFile: call.findFile };
	const values = new Values(mapped, read.value, isTool, context);
	const settings = settingsOfItem(call, spec, values);
	if (!settings.ok) return settings;
	const { includeInputFields, resultField, idempotency } = settings.value;
	const built = buildRequest(spec.endpoint, values, constants);
	if (!built.ok) return includeInputFields ? { ...built, resultField } : built;
	const sendOptions = sendOptionsOf(read.value.requestOptions);
	if (!sendOptions.ok) return sendOptions;
	const request = built.value;
	const parts = split?.(request);
	if (parts && parts.length > 1) {
		const ofParts = settingsOfParts(settings.value, parts.length);
		if (!ofParts.ok) return ofParts;
	}
	return ok({
		request,
		parts,
		settings: settings.value,
		lacksModel: asksForFirstModel(request),
		sendOptions: sendOptions.value,
		warning: warningOfItem(call, operation, settings.value, unused),
		ownRequest: idempotency === 'custom' ? storedRequestHashOf(input, request) : undefined,
	});
}

/** What the user has set for an item, with what that means for this call. */
function settingsOfItem(call: NodeCall, spec: OperationSpec, values: Values): Result<Settings> {
	const built = buildSettings(values, usualSettings(spec, call.isTool));
	if (!built.ok) return built;
	const settings = { ...built.value };
	const choice = settings.idempotency as IdempotencyChoice;
	if (choice === 'editor') {
		settings.idempotency = call.mode === 'manual' ? 'content' : 'execution';
		settings.sameInEditor = true;
	}
	// There are no files to download before the job has ended.
	if (spec.creates && spec.output === 'job' && !settings.waitForCompletion)
		settings.downloadOutputs = false;
	return ok(settings);
}

/**
 * What is said of an item whatever it comes to: of fields in collections that another operation of the node
 * has and this one has not, and of a limit that counts less than its name says.
 */
function warningOfItem(
	{ executionId }: NodeCall,
	{ name }: Operation,
	{ maxCredits }: Settings,
	unused: string[],
): string | undefined {
	const warnings: string[] = [];
	if (unused.length > 0) {
		const names = unused.map((one) => `"${one}"`).join(', ');
		warnings.push(`Not used, because ${name} has no such field: ${names}`);
	}
	// n8n's own Agents run each tool call by itself, without an execution.
	if (executionId === '' && maxCredits < Infinity)
		warnings.push(
			'Max Credits per Execution counts each call by itself here, as it has no execution',
		);
	return warnings.length > 0 ? warnings.join('. ') : undefined;
}

/**
 * Whether n8n evaluates the parameters of this tool call with the arguments of another call. Agents up to
 * version 2 run the calls of several items at once under one run index. The input of a call holds its own
 * arguments, so the two can be compared.
 */
function hasForeignArguments(call: NodeCall, { index, json: own }: Input): boolean {
	if (!call.isNested) return false;
	const calls: FromAIArgument[] = [];
	traverseNodeParameters(call.node.parameters, calls);
	return calls.some(({ key }) => {
		const used = call.evaluate(index, `{{ $fromAI(${JSON.stringify(key)}) }}`);
		const argument: unknown = isRecord(own.query) ? (own.query[key] ?? own[key]) : own[key];
		return JSON.stringify(used) !== JSON.stringify(argument);
	});
}

const FOREIGN_ARGUMENTS = fail({
	kind: 'input',
	field: 'What the AI has filled in',
	problem: 'is mixed up with another call of this tool, as several run at the same time',
	hint: 'Use version 3 or later of the AI Agent node, or set its batch size to 1',
});

/** The evaluated parameters of an item: those for which the operation has fields. */
function readParameters(call: NodeCall, input: Input, fields: Field[]): Result<Json> {
	const { parameters } = call.node;
	const read: Json = {};
	for (const field of fields) {
		const { name, displayName, fields: inner } = field;
		if (Object.hasOwn(read, name) || valueAt(parameters, [name]) === undefined) continue;
		const value = evaluated(call, input, field);
		if (!value.ok) return value;
		if (inner && !isRecord(value.value))
			return fieldProblem(displayName, `must be an object with fields, got ${quoted(value.value)}`);
		read[name] = value.value;
	}
	return ok(read);
}

/** Evaluates a parameter. A failure names the field whose expression throws, also within a collection. */
function evaluated(
	call: NodeCall,
	{ index }: Input,
	{ name, displayName, fields = [] }: Field,
): Result<unknown> {
	try {
		return ok(call.parameter(index, name));
	} catch (error) {
		const throws = fields.find((inner) => {
			try {
				call.parameter(index, `${name}.${inner.name}`, '');
				return false;
			} catch {
				return true;
			}
		});
		const reason = error instanceof Error ? `: ${error.message}` : '';
		return fieldProblem(throws?.displayName ?? displayName, `cannot be evaluated${reason}`);
	}
}

/** A request with an own key must always have the same body, and which model is listed first may change. */
const NO_FIRST_MODEL = fail({
	kind: 'input',
	field: 'Model',
	problem: 'is not chosen, which an Own Key needs: the first model of the workspace may change',
	hint: 'Choose a model, or another value of Avoid Paying Twice',
});

/** What the user has set under Request Options for an item. */
export interface SendOptions extends HttpOptions {
	/** 0 for none. */
	timeoutMs: number;
	/** Missing where all items of the run begin at once. */
	portions?: Portions;
}

/** The items of a run begin in portions of this size, with this pause in between. */
interface Portions {
	size: number;
	pauseMs: number;
}

export const ALL_AT_ONCE: Portions = { size: Infinity, pauseMs: 0 };

/** A parameter that n8n adds to each declarative node. Only n8n's routing engine would read it. */
const REQUEST_OPTIONS: Field = {
	displayName: 'Request Options',
	name: 'requestOptions',
	type: 'collection',
	default: {},
};

/** The value of that parameter. */
interface NodeRequestOptions {
	batching?: { batch?: { batchSize?: unknown; batchInterval?: unknown } };
	proxy?: string;
	timeout?: number;
	allowUnauthorizedCerts?: boolean;
}

/** @param requestOptions the value of Request Options */
export function sendOptionsOf(requestOptions: unknown): Result<SendOptions> {
	const options = (requestOptions ?? {}) as NodeRequestOptions;
	const { proxy, timeout = 0, allowUnauthorizedCerts } = options;
	const sendOptions: SendOptions = { timeoutMs: Number(timeout) };
	const portions = portionsOf(options);
	if (portions) sendOptions.portions = portions;
	if (allowUnauthorizedCerts) sendOptions.skipSslCertificateValidation = true;
	if (!proxy) return ok(sendOptions);
	try {
		return ok({ ...sendOptions, proxy: proxyOf(proxy) });
	} catch {
		// What was entered is not quoted: it may hold a password, wherever that stands.
		const problem = 'must be an address with a port, such as http://proxy.example.com:3128';
		return fail({ kind: 'input', field: 'Proxy', problem });
	}
}

/**
 * Batching, as its panel in n8n explains it: a size of -1 switches it off and 0 means 1; an interval of 0 is
 * off too.
 */
function portionsOf({ batching }: NodeRequestOptions): Portions | undefined {
	const size = Number(batching?.batch?.batchSize ?? 1);
	const pauseMs = Number(batching?.batch?.batchInterval ?? 0);
	if (!(pauseMs > 0) || size < 0) return undefined;
	return { size: size >= 1 ? size : 1, pauseMs };
}

/** Reads the address of a proxy. @throws Error unless it has a host and a port */
function proxyOf(text: string): HttpOptions['proxy'] {
	const { hostname, port: stated, protocol, username, password } = new URL(text);
	// `URL` leaves out the port that is usual for the protocol.
	const port = stated || /:(\d+)\/?$/.exec(text)?.[1];
	if (!hostname || !port) throw new Error('no host or port');
	const proxy = { host: hostname, port: Number(port), protocol: protocol.replace(/:$/, '') };
	if (username === '') return proxy;
	const auth = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
	return { ...proxy, auth };
}

/**
 * All scopes that an item will need. A scope that is missing must not turn out once something is paid for.
 */
function scopesNeeded(spec: OperationSpec, { request, settings, lacksModel }: Prepared): Scope[] {
	const { endpoint, output, object = '', creates, perform } = spec;
	// Check Setup finds out which scopes the key has.
	if (perform) return [];
	const waits = output === 'job' && creates && settings.waitForCompletion;
	const isDayLimited = settings.maxCreditsPerDay < Infinity;
	return [
		endpoint.scope,
		waits ? readerOf(object).scope : undefined,
		instancesIn(request.body, BinaryReference).length > 0 ? ENDPOINTS.createFile.scope : undefined,
		isDayLimited ? ENDPOINTS.listGenerations.scope : undefined,
		isDayLimited && !isListed(endpoint) ? ENDPOINTS.getUsage.scope : undefined,
		lacksModel ? ENDPOINTS.listModels.scope : undefined,
	].filter((scope) => scope !== undefined);
}

/**
 * Refuses items that have one own key for different requests, as the service would give all of them the media
 * of the first. None of them is sent, because nobody knows for which one the key is meant.
 */
function claimOwnKeys(items: Map<number, Result<Ready>>): void {
	const byKey = new Map<string, Array<{ index: number; request: string }>>();
	for (const [index, item] of items) {
		if (!item.ok || item.value.ownRequest === undefined) continue;
		const { idempotencyKey } = item.value.settings;
		const claims = getOrCreate(byKey, idempotencyKey, () => []);
		claims.push({ index, request: item.value.ownRequest });
	}
	for (const claims of byKey.values()) {
		for (const { index, request } of claims) {
			const other = claims.find((claim) => claim.request !== request);
			if (!other) break;
			const first = Math.min(index, other.index);
			const second = Math.max(index, other.index);
			const failed = fail({
				kind: 'input',
				field: 'Own Key',
				problem: `is the same for items ${first + 1} and ${second + 1}, which make different requests`,
				hint: GIVE_EACH_A_KEY,
			});
			items.set(index, failed);
		}
	}
}
