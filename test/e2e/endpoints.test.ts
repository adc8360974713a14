import {
	ENDPOINTS,
	IDEMPOTENCY_HEADER,
	SCOPES,
	type Endpoint,
	type EndpointName,
} from '../../src/contract';
import { saveCredential } from '../../lab/n8n/credential';
import { bodyFields, pathsIn, queryFields, takesKey } from '../support/shapes';
import { endpointCases, parametersOf, type EndpointCase } from './support/endpointCases';
import { baseUrl, keys, rest, runOurs, sandbox } from './support/harness';

/**
 * The walk over the specification's table: for each operation some node sends exactly its method,
 * path, query, headers and body through n8n's own routing engine, and is refused without its scope.
 */
const names = Object.keys(ENDPOINTS) as EndpointName[];
let cases: EndpointCase[];

beforeAll(async () => {
	await sandbox.reset();
	await sandbox.settings({ modelChecks: false, requestsPerMinute: 100_000 });
	cases = await endpointCases();
});

const asked = async () =>
	(await sandbox.requests()).filter(
		({ operation }) => operation !== null && operation in ENDPOINTS,
	);

function casesOf(name: EndpointName): EndpointCase[] {
	const found = cases.filter(({ endpoint }) => endpoint === name);
	if (found.length === 0) throw new Error(`endpointCases.ts has no case for ${name}`);
	return found;
}

it.each(names)('%s is sent exactly as the specification has it', async (name) => {
	const { method, path, success }: Endpoint = ENDPOINTS[name];
	for (const one of casesOf(name)) {
		const before = (await asked()).length;
		const run = await runOurs({ node: one.node, parameters: parametersOf(one), items: one.items });
		expect([one.variant, run.error?.message, run.error?.description]).toEqual([one.variant]);
		// Approving reads the production first: its estimate is held against the budget. A creation looks first whether jobs
		// that an earlier test has not waited for have ended.
		const beside = name === 'approveAgentRun' ? 'getAgentRun' : 'listGenerations';
		const sent = (await asked()).slice(before);
		const [request, ...more] = sent.filter(
			({ operation }) => operation === name || operation !== beside,
		);
		expect(more).toEqual([]);
		expect(request).toMatchObject({
			method,
			path: `/v1${path.replace('{id}', one.id ?? '')}`,
			query: one.query ?? {},
			operation: name,
			authorized: true,
		});
		expect(request?.body ?? undefined).toEqual(one.body);
		expect(success ?? [200]).toContain(request?.status);
		const headers = request?.headers ?? {};
		expect(headers.accept).toMatch(/application\/json/);
		if (one.body !== undefined) expect(headers['content-type']).toMatch(/^application\/json/);
		const key = headers[IDEMPOTENCY_HEADER.toLowerCase()];
		expect(typeof key).toBe(takesKey(name) ? 'string' : 'undefined');
	}
});

it.each(names)('%s: every field of its request is filled in by a parameter', async (name) => {
	const sent = casesOf(name).flatMap(({ body, query }) => [
		...pathsIn(body),
		...Object.keys(query ?? {}),
	]);
	// Paging is proven where there are pages (reading.test.ts).
	const wanted = [...bodyFields(name), ...queryFields(name)].filter((field) => field !== 'cursor');
	expect(wanted.filter((field) => !sent.includes(field))).toEqual([]);
});

it('is refused before sending when the credential excludes its scope', async () => {
	const scopes = SCOPES.filter((scope) => scope !== 'voices:read');
	const access = { apiKey: keys.full.key, baseUrl, scopes, clockScale: 60 };
	const credential = await saveCredential(rest, 'limited', access);
	const [one] = casesOf('listVoices');
	if (!one) throw new Error('no case');
	const before = (await asked()).length;
	const run = await runOurs({ node: one.node, parameters: parametersOf(one), credential });
	expect(run.error?.message).toBe('The credential is limited to scopes without voices:read');
	expect(await asked()).toHaveLength(before);
});
