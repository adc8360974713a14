/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import type { ICredentialTestFunctions } from 'n8n-workflow';
import nock from 'nock';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { MediaGenApi } from '../../../credentials/MediaGenApi.credentials';
import { newest } from '../../../lab/n8n/release';
import { mediaGenApiTest } from '../../../src/n8n/credentialTest';
import { CREDENTIAL } from '../../../src/transport/credential';
import type { Host } from '../../../src/transport/host';
import { NODE, nodeContext, nodeRun } from '../../support/nodeContext';
import { n8nHttp } from '../../wire/support/n8nHttp';
import { at, BASE_URL, hostOver, keyOfThisTest, sent, service } from '../../wire/support/wire';

/**
 * What n8n's HTTP helpers and the stand-in for them in `test/wire/support/n8nHttp.ts` put on the wire, and
 * what our transport makes of what comes back, as JSON on the standard output: run with n8n's own Node, in
 * which n8n-core can be loaded.
 */
const lab = createRequire(newest.entry);

type Helpers = typeof n8nHttp;

/** n8n's own, with our credential in the place of the database. */
function helpersOfCore(): Helpers {
	const utils = 'n8n-core/dist/execution-engine/node-execution-context/utils';
	const { getRequestHelperFunctions } = lab(`${utils}/request-helper-functions`) as {
		getRequestHelperFunctions(workflow: object, node: object, additionalData: object): Helpers;
	};
	const { authenticate } = new MediaGenApi();
	if (typeof authenticate !== 'function') throw new Error('The credential puts no key on requests');
	const credentialsHelper = {
		getParentTypes: () => [],
		preAuthentication: async () => undefined,
		authenticate: async (data: object, _type: string, options: object) =>
			await authenticate(data as never, options as never),
	};
	return getRequestHelperFunctions({ id: 'w' }, NODE, { credentialsHelper });
}

interface Case {
	/** Whoever is asked, and what is answered. */
	answer: () => unknown;
	ask: (host: Host, helpers: Helpers) => Promise<unknown>;
}

const STORAGE = 'https://storage.example';
const NEVER = new AbortController().signal;

const POST = {
	method: 'POST',
	path: '/generations',
	body: { prompt: 'Ein Boot 😀', plan: { title: '' } },
	headers: { 'Idempotency-Key': 'one' },
} as const;

const post: Case['ask'] = async ({ channel }) => await channel.send(POST);

const get: Case['ask'] = async (host) => {
	const answer = await host.get(`${STORAGE}/a.png?signature=x%2By`, NEVER);
	if ('noResponse' in answer) return answer;
	const { status, headers, body } = answer;
	const text = await buffer(body).then(String, (error: Error) => error.message);
	return { status, headers, text };
};

const put =
	(headers: Record<string, string>, open: () => Promise<Buffer | Readable>): Case['ask'] =>
	async (host) =>
		await host.put(`${STORAGE}/x`, headers, { size: 3, open }, NEVER);

const fromMemory = async () => Buffer.from('cat');
const asStream = async () => Readable.from([Buffer.from('ca'), Buffer.from('t')]);

const testOfCredential: Case['ask'] = async (_host, helpers) => {
	const context = { helpers } as unknown as ICredentialTestFunctions;
	const data = { apiKey: keyOfThisTest(), baseUrl: BASE_URL, scopes: ['credits:read'] };
	return await mediaGenApiTest.call(context, {
		id: '1',
		name: 'x',
		type: CREDENTIAL,
		data: data as never,
	});
};

/** Without our transport, which follows no redirect. */
const followed: Case['ask'] = async (_host, helpers) => {
	const credential = { apiKey: keyOfThisTest(), baseUrl: BASE_URL };
	const functions = nodeContext(nodeRun({ helpers, credential }));
	const request = { method: 'GET', baseURL: BASE_URL, url: '/credits', json: true } as const;
	return await helpers.httpRequestWithAuthentication.call(functions as never, CREDENTIAL, request);
};

const thrown = (code: string, syscall: string) =>
	Object.assign(new Error(`${syscall} ${code}`), { code, syscall });

const posted = () => service().post('/generations');
const fetched = () => at(STORAGE).get('/a.png?signature=x%2By');
const tried = () => service().get('/credits');
const away = { Location: 'https://other.example/x' };
const error = { error: { type: 'some_type', message: 'No' } };

const CASES: Record<string, Case> = {
	'a creation': { answer: () => posted().reply(202, { id: 'gen_1' }), ask: post },
	'a query': {
		answer: () => service().get('/usage').query({ since: '2026-01-31T00:00:00Z' }).reply(200, {}),
		ask: async ({ channel }) => {
			const query = { since: '2026-01-31T00:00:00Z' };
			return await channel.send({ method: 'GET', path: '/usage', query });
		},
	},
	'a deletion, with nothing in its answer': {
		answer: () => service().delete('/webhooks/wh_1').reply(204),
		ask: async ({ channel }) => await channel.send({ method: 'DELETE', path: '/webhooks/wh_1' }),
	},
	'401': { answer: () => posted().reply(401, error), ask: post },
	'429': { answer: () => posted().reply(429, error, { 'Retry-After': '7' }), ask: post },
	'a page': { answer: () => posted().reply(502, '<html>'), ask: post },
	packed: {
		answer: () => posted().reply(200, gzipSync('{"a":1}'), { 'content-encoding': 'gzip' }),
		ask: post,
	},
	redirected: { answer: () => posted().reply(307, '', away), ask: post },
	refused: {
		answer: () => posted().replyWithError(thrown('ECONNREFUSED', 'connect')),
		ask: post,
	},
	reset: { answer: () => posted().replyWithError(thrown('ECONNRESET', 'read')), ask: post },
	'cut off': {
		answer: () => posted().reply(200, '{"id', { 'content-length': '1000' }),
		ask: post,
	},
	'a redirect that is followed takes the key along': {
		answer: () => {
			service().get('/credits').reply(302, '', away);
			at('https://other.example').get('/x').reply(200, { balance: 1 });
		},
		ask: followed,
	},
	'a download': { answer: () => fetched().reply(200, 'cat'), ask: get },
	'one that is redirected': { answer: () => fetched().reply(302, 'no', away), ask: get },
	'one that is cut off': {
		answer: () => fetched().reply(200, 'ca', { 'content-length': '3' }),
		ask: get,
	},
	'one that is packed': {
		answer: () => fetched().reply(200, gzipSync('cat'), { 'content-encoding': 'gzip' }),
		ask: get,
	},
	'an upload from memory': {
		answer: () => at(STORAGE).put('/x').reply(200),
		ask: put({ 'x-acl': 'private' }, fromMemory),
	},
	'an upload as a stream': {
		answer: () => at(STORAGE).put('/x').reply(200),
		ask: put({ 'content-type': 'image/png' }, asStream),
	},
	'one that is refused': {
		answer: () => at(STORAGE).put('/x').replyWithError(thrown('ECONNREFUSED', 'connect')),
		ask: put({}, fromMemory),
	},
	'the test of a credential': {
		answer: () => tried().reply(200, { balance: 5 }),
		ask: testOfCredential,
	},
	'that of a wrong key': { answer: () => tried().reply(401, error), ask: testOfCredential },
	'that of a page': { answer: () => tried().reply(200, '<html>'), ask: testOfCredential },
	'that which is redirected': { answer: () => tried().reply(307, '', away), ask: testOfCredential },
	'that which is reset': {
		answer: () => tried().replyWithError(thrown('ECONNRESET', 'read')),
		ask: testOfCredential,
	},
};

async function outcome({ answer, ask }: Case, helpers: Helpers) {
	const before = sent().length;
	answer();
	const came = await ask(hostOver({}, { helpers }), helpers).catch(String);
	const pending = nock.pendingMocks();
	nock.cleanAll();
	return { sent: sent().slice(before), came, pending };
}

async function main(): Promise<void> {
	lab('reflect-metadata');
	nock.disableNetConnect();
	const core = helpersOfCore();
	const outcomes: Record<string, unknown> = {};
	for (const [name, each] of Object.entries(CASES))
		outcomes[name] = { standIn: await outcome(each, n8nHttp), core: await outcome(each, core) };
	console.log(JSON.stringify(outcomes));
	process.exit(0);
}

void main();
