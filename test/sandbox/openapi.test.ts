import { ENDPOINTS, EVENTS, GENERATION_STATUSES, type Endpoint } from '../../src/contract';
import { updatedDocument } from '../../scripts/openapi';
import { startHarness } from './support/harness';
import { document } from './support/openapi';

test('it is version 1.0.0 in OpenAPI 3.1 and holds the operations of the contract', () => {
	expect(document.openapi).toMatch(/^3\.1\./);
	expect(document.info.version).toBe('1.0.0');
	const held = Object.entries<object>(document.paths).flatMap(([path, verbs]) =>
		Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
	);
	const wanted = Object.values(ENDPOINTS).map(({ method, path }) => `${method} ${path}`);
	expect(held.sort()).toEqual(wanted.sort());
});

test('scopes, statuses and events in it are those of the contract', () => {
	const endpoints: Array<[string, Endpoint]> = Object.entries(ENDPOINTS);
	for (const [name, { method, path, scope, success = [200, 204], extra }] of endpoints) {
		const operation = document.paths[path][method.toLowerCase()];
		// An unknown id is 404 everywhere, also where the endpoint table does not name it.
		const unknown = path.includes('{id}') ? [404] : [];
		const statuses = new Set([...success, 400, 401, 403, ...extra, ...unknown, 429]);
		expect([name, Object.keys(operation.responses)]).toEqual([
			name,
			[...statuses].sort().map(String),
		]);
		expect(operation).toMatchObject({ operationId: name, ...(scope && { 'x-scope': scope }) });
	}
	expect(Object.keys(document.webhooks)).toEqual(EVENTS);
	const { Generation, Persona, SpeechGeneration, Voice } = document.components.schemas;
	expect(Generation.properties.status.enum).toEqual(GENERATION_STATUSES);
	expect(Persona.properties.status.enum).toEqual(['pending', 'ready', 'failed']);
	expect(SpeechGeneration.properties.status.enum).toEqual(['queued', 'completed', 'failed']);
	expect(Voice.properties.kind.enum).toEqual(['clone', 'design']);
});

test('requests in it are as the sandbox validates them (npm run openapi)', () => {
	expect(document).toEqual(JSON.parse(JSON.stringify(updatedDocument())));
});

test.each([
	['where it listens', undefined],
	['where others know it', 'https://media.example.com'],
])('it is served outside the contract, without a key, and names %s', async (_where, publicUrl) => {
	const service = await startHarness({ publicUrl });
	const answer = await fetch(service.sandbox.baseUrl.replace('/v1', '/openapi.json'));
	const served = (await answer.json()) as typeof document;
	await service.close();
	expect({ ...served, servers: document.servers }).toEqual(document);
	expect(served.servers).toEqual([
		{
			url: publicUrl ? `${publicUrl}/v1` : service.sandbox.baseUrl,
			description: expect.any(String),
		},
	]);
});
