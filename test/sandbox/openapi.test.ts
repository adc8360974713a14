import { ENDPOINTS, LIMITS } from '../../src/contract';
import { openApiDocument } from '../../scripts/openapi';
import { startHarness } from './support/harness';
import { document } from './support/openapi';

test('it is version 1.0.0 in OpenAPI 3.1 and holds the 32 operations', () => {
	expect(document.openapi).toMatch(/^3\.1\./);
	expect(document.info.version).toBe('1.0.0');
	const held = Object.entries<object>(document.paths).flatMap(([path, verbs]) =>
		Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
	);
	const wanted = Object.values(ENDPOINTS).map(({ method, path }) => `${method} ${path}`);
	expect(wanted).toHaveLength(32);
	expect(held.sort()).toEqual(wanted.sort());
});

test('the bounds in it are those of the contract', () => {
	const { CreateGeneration, CreateSpeechGeneration } = document.components.schemas;
	expect(CreateGeneration.properties.prompt).toMatchObject({ minLength: 1, maxLength: 10_000 });
	expect(CreateGeneration.properties.parameters.properties.count).toMatchObject({
		minimum: LIMITS.count.min,
		maximum: LIMITS.count.max,
	});
	expect(CreateSpeechGeneration.properties.blocks).toMatchObject({ minItems: 1, maxItems: 50 });
	const [limit] = document.paths['/generations'].get.parameters;
	expect(limit.schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 100 });
});

test('the written document is the generated one (npm run openapi)', () => {
	expect(document).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
});

test('it is served outside the contract, without a key', async () => {
	const service = await startHarness();
	const answer = await fetch(service.sandbox.baseUrl.replace('/v1', '/openapi.json'));
	const served = await answer.json();
	await service.close();
	expect(served).toEqual(document);
});
