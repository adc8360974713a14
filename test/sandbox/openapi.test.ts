import { ENDPOINTS, EVENTS, GENERATION_STATUSES, type Endpoint } from '../../src/api';
import { updatedDocument } from '../../scripts/openapi';
import { startHarness } from './support/harness';
import { document, expectDocumented } from './support/openapi';

test('statuses, scopes and events in it are those of the contract', () => {
	const endpoints: Array<[string, Endpoint]> = Object.entries(ENDPOINTS);
	for (const [name, { method, path, scope, success = [200, 204], extra }] of endpoints) {
		const operation = document.paths[path][method.toLowerCase()];
		// An unknown id is 404 everywhere, also where the endpoint table does not name it.
		const unknown = path.includes('{id}') ? [404] : [];
		const statuses = new Set([...success, 400, 401, 403, ...extra, ...unknown, 429]);
		const documented = Object.keys(operation.responses);
		expect([name, documented]).toEqual([name, [...statuses].sort().map(String)]);
		expect(operation).toMatchObject({ operationId: name, ...(scope && { 'x-scope': scope }) });
	}
	expect(Object.keys(document.webhooks)).toEqual(EVENTS);
	const { Generation, Persona, SpeechGeneration, Voice } = document.components.schemas;
	expect(Generation.properties.status.enum).toEqual(GENERATION_STATUSES);
	expect(Persona.properties.status.enum).toEqual(['pending', 'ready', 'failed']);
	expect(SpeechGeneration.properties.status.enum).toEqual(['queued', 'completed', 'failed']);
	expect(Voice.properties.kind.enum).toEqual(['clone', 'design']);
});

test('requests are as the sandbox validates them, and examples as it is sent, answers and tells them (npm run write)', async () => {
	expect(document).toEqual(JSON.parse(JSON.stringify(await updatedDocument())));
});

test('every success and error has examples, which are as it says', () => {
	const endpoints: Endpoint[] = Object.values(ENDPOINTS);
	const shown = new Set<string>();
	for (const { method, path } of endpoints) {
		const { responses } = document.paths[path][method.toLowerCase()];
		for (const [status, given] of Object.entries<{ $ref?: string; content?: object }>(responses)) {
			const name = given.$ref?.split('/').at(-1);
			const { content } = name ? document.components.responses[name] : given;
			if (!content) continue;
			const { example, examples } = content['application/json'];
			const bodies: unknown[] = examples
				? Object.values<{ value: unknown }>(examples).map(({ value }) => value)
				: [example];
			for (const body of bodies) expectDocumented(method, path, { status: Number(status), body });
			shown.add(`${status}: ${Object.keys(examples ?? { one: 1 }).join(', ')}`);
		}
	}
	expect([...shown].sort()).toEqual([
		'200: one',
		'201: one',
		'202: one',
		'400: invalid_request',
		'401: authentication',
		'402: insufficient_credits',
		'403: scope, entitlement',
		'404: not_found',
		'429: concurrency_limit, rate_limit',
	]);
});

test('it is served outside the contract, without a key, and names where others know the sandbox', async () => {
	const publicUrl = 'https://media.example.com';
	const service = await startHarness({ publicUrl });
	const answer = await fetch(service.sandbox.baseUrl.replace('/v1', '/openapi.json'));
	const { servers, ...served } = (await answer.json()) as typeof document;
	await service.close();
	expect({ ...served, servers: document.servers }).toEqual(document);
	expect(servers).toMatchObject([{ url: `${publicUrl}/v1` }]);
});
