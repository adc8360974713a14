/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { IExecuteSingleFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';
import nock from 'nock';
import type { ClientRequest } from 'node:http';
import type { Host } from '../../../src/transport/host';
import { n8nHost, type HostContext } from '../../../src/n8n/n8nHost';
import { execute } from '../../support/engine';
import { accessTo, nodeContext, nodeRun, type NodeRun } from '../../support/nodeContext';
import { n8nHttp } from './n8nHttp';

/** The service, by the address in the credential. */
export const BASE_URL = 'https://api.example/media/v1';

/** A request as it has left. */
export interface OnWire {
	method: string;
	url: string;
	headers: Record<string, string>;
	body: string;
}

const seen: OnWire[] = [];
const strays: string[] = [];
let workspaces = 0;

/** A workspace of its own for each test, as what a process knows of one would get mixed up otherwise. */
export const keyOfThisTest = (): string => `canary-key-${workspaces}-of-the-wire`;

/** Everything that was sent, in order. */
export const sent = (): readonly OnWire[] => seen;

/** What has an address, such as a storage: what is answered there, as nock has it. */
export function at(origin: string): nock.Scope {
	const scope = nock(origin);
	scope.on('request', (request: ClientRequest & { method: string }, _, body: string) => {
		const url = `${new URL(origin).origin}${request.path}`;
		const given = Object.entries(request.getHeaders());
		const headers = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
		seen.push({ method: request.method, url, headers, body });
	});
	return scope;
}

/** What the service answers. */
export const service = (): nock.Scope => at(BASE_URL);

/** Whether the key is in a request to the base URL only, and there only in the one header for it. */
function keepsTheKey({ url, headers, body }: OnWire): boolean {
	const { authorization, ...others } = headers;
	if (JSON.stringify([url, others, body]).includes('canary-key')) return false;
	const isHome = url.startsWith(`${BASE_URL}/`);
	return authorization === undefined || (isHome && authorization === `Bearer ${keyOfThisTest()}`);
}

/**
 * For a whole test file: nothing gets out, whatever is answered was asked for, all that is asked for has an
 * answer, and the key goes to the base URL only.
 */
export function overTheWire(): void {
	const strayed = ({ method, path, host }: Record<string, unknown>) => {
		strays.push(`${String(method)} ${String(host)}${String(path)}`);
	};
	beforeAll(() => {
		nock.disableNetConnect();
		nock.emitter.on('no match', strayed);
	});
	beforeEach(() => {
		workspaces += 1;
		seen.length = 0;
		strays.length = 0;
	});
	afterEach(() => {
		const pending = nock.pendingMocks();
		nock.abortPendingRequests();
		nock.cleanAll();
		expect({ pending, strays }).toEqual({ pending: [], strays: [] });
		expect(seen.filter((request) => !keepsTheKey(request))).toEqual([]);
	});
	afterAll(() => {
		nock.emitter.off('no match', strayed);
		// Other test files of the process use the same Node.
		nock.restore();
	});
}

/** What n8n gives to a node, with helpers that really send. */
const wired = (run: Partial<NodeRun> = {}): NodeRun =>
	nodeRun({
		credential: { apiKey: keyOfThisTest(), baseUrl: BASE_URL },
		helpers: n8nHttp,
		...run,
	});

/** The transport of an item. */
export function hostOver(context: Partial<HostContext> = {}, run: Partial<NodeRun> = {}): Host {
	const functions = nodeContext(wired(run)) as IExecuteSingleFunctions;
	const given: HostContext = {
		functions,
		files: () => ({}),
		signal: undefined,
		fairnessKey: 'execution 1',
		timeoutMs: 0,
		...context,
	};
	return n8nHost(given, accessTo(BASE_URL, keyOfThisTest()));
}

/** Runs a node for its items. */
export const runNode = async (
	node: new () => INodeType,
	parameters: Record<string, unknown>,
	run: Partial<NodeRun> = {},
): Promise<INodeExecutionData[]> => await execute(new node(), wired(run), () => parameters);
