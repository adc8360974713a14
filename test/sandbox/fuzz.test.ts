import fc from '../support/fastCheck';

import { z } from 'zod/v4';

import { ENDPOINTS, EVENTS, type Endpoint, type EndpointName } from '../../src/contract';
import { MODELS } from '../../sandbox/catalogue/models';
import { requestOf } from '../../sandbox/schemas';
import { startHarness, type Answer, type Harness, type RequestOptions } from './support/harness';
import { cases } from '../support/thorough';
import { elementAt } from './support/elementAt';

const ROUNDS = cases(5_100);

let service: Harness;

beforeAll(async () => {
	service = await startHarness({ settings: { initialCredits: 100_000, concurrentJobs: 50 } });
});

afterAll(async () => {
	await service.close();
});

const nasty = fc.constantFrom<unknown>(
	null,
	'',
	'\u0000',
	'\ud800',
	'🦊',
	'../../etc/passwd',
	'<script>',
	'x'.repeat(10_001),
	-1,
	0,
	1.5,
	1e308,
	true,
	[],
	{},
	[[[]]],
	{ __proto__: null, constructor: 'x' },
);

const urls = fc.constantFrom(
	'https://example.com/a.png',
	'http://example.com/a',
	'javascript:1',
	'a',
);

/** Values of fields whose schema takes more than the service does. */
const KNOWN: Record<string, fc.Arbitrary<unknown>> = {
	model: fc.constantFrom(...MODELS.map(({ id }) => id)),
	voice: fc.constantFrom('en-US-AvaLite', 'en-US-MarinTurbo', 'nobody'),
	size: fc.constantFrom('64x64', 'big', 1),
	duration: fc.constantFrom('4', '5s', 'long'),
	plan: fc.oneof(fc.jsonValue(), fc.constant({ steps: [] })),
	content_type: fc.constantFrom('image/png', 'x'),
};

/** As much of JSON Schema as the requests need. */
interface Schema {
	type?: string;
	const?: unknown;
	enum?: unknown[];
	oneOf?: Schema[];
	anyOf?: Schema[];
	properties?: Record<string, Schema>;
	required?: string[];
	items?: Schema;
	format?: string;
	minimum?: number;
	maximum?: number;
}

/** Values that a schema takes, or almost. */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
	const { properties, items, minimum = 0, maximum = 60 } = schema;
	const some = schema.oneOf ?? schema.anyOf;
	if (some) return fc.oneof(...some.map(valuesOf));
	if (schema.enum) return fc.constantFrom(...schema.enum);
	if (schema.const) return fc.constant(schema.const);
	if (items) return fc.array(valuesOf(items), { maxLength: 6 });
	if (schema.format === 'uri') return urls;
	if (schema.type === 'boolean') return fc.boolean();
	if (schema.type === 'integer') return fc.integer({ min: minimum - 1, max: maximum + 1 });
	if (schema.type === 'number') return fc.double({ noNaN: true, min: 0, max: maximum });
	if (!properties) return fc.string({ minLength: 1, maxLength: 82, unit: 'grapheme' });
	const fields: Record<string, fc.Arbitrary<unknown>> = {};
	for (const [name, field] of Object.entries(properties))
		fields[name] = KNOWN[name] ?? valuesOf(field);
	return fc.record(fields, { requiredKeys: schema.required ?? [] });
}

/** Bodies that are accepted, so that later requests have something to act on. */
const GOOD: Record<string, object> = {
	'/generations': { mode: 'image', model: 'studio/image-1', prompt: 'a fox' },
	'/speech': { model: 'service/speech-lite', blocks: [{ text: 'Hello' }] },
	'/agents/runs': { brief: 'A film' },
	'/agents/runs/{id}/approve': { max_credits: 50 },
	'/agents/runs/{id}/review': { decision: 'assemble' },
	'/voices': { kind: 'design', name: 'Mine', description: 'warm' },
	'/voices/{id}': { name: 'Other' },
	'/personas': { source: 'describe', name: 'Fox', description: 'red' },
	'/personas/{id}': { name: 'Vixen' },
	'/webhooks': { url: 'https://127.0.0.1:9/hook', events: [...EVENTS] },
	'/webhooks/{id}': { description: 'mine' },
	'/files': { filename: 'a.png', content_type: 'image/png', size: 1 },
};

const firstPart = (path: string) => elementAt(path.split('/'), 1);

function bodyOf(name: EndpointName, path: string): fc.Arbitrary<unknown> {
	const schema = requestOf(name).body ?? z.object({ name: z.string() });
	const right = valuesOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema);
	const invalid = fc
		.tuple(right, fc.nat(), fc.constantFrom('', 'extra'), nasty)
		.map(([body, at, extra, value]) => {
			const names = Object.keys(body as object);
			return { ...(body as object), [extra || `${names[at % names.length]}`]: value };
		});
	return fc.oneof(
		{ weight: 4, arbitrary: fc.constant(GOOD[path]) },
		{ weight: 4, arbitrary: right },
		{ weight: 4, arbitrary: invalid },
		nasty,
	);
}

const query = fc.oneof(
	fc.constant(''),
	fc
		.dictionary(
			fc.constantFrom('limit', 'cursor', 'mode', 'model', 'language', 'search', 'since', 'x[y]'),
			fc.oneof(
				fc.constantFrom('1', '100', '0', 'image', '2026-01-01T00:00:00Z', '%00'),
				fc.string(),
			),
			{ maxKeys: 2 },
		)
		.map((fields) => `?${new URLSearchParams(fields).toString()}`),
);

const endpoints = Object.values(ENDPOINTS) as Endpoint[];
const named = Object.entries(ENDPOINTS) as Array<[EndpointName, Endpoint]>;

// Made once for each operation: to make them for each request takes longer than the request.
const requests = named.map(([name, { method, path }]) =>
	fc.record({
		method: fc.constant(method),
		path: fc.constant(path),
		query,
		body: method === 'GET' || method === 'DELETE' ? fc.constant(undefined) : bodyOf(name, path),
		broken: fc.constantFrom(
			...Array<undefined>(30).fill(undefined),
			'{',
			'',
			'null',
			'[1',
			'\ufeff{}',
		),
		key: fc.constantFrom('all', 'all', 'all', 'all', 'other', 'read', 'unentitled', null),
		idempotencyKey: fc.option(fc.constantFrom('a', 'b', 'k'.repeat(255), 'k'.repeat(256)), {
			freq: 4,
		}),
		/** Which of the ids that were returned so far, or an unknown one. */
		which: fc.oneof(
			{ weight: 6, arbitrary: fc.nat() },
			fc.constantFrom(
				'nothing',
				'..',
				'%2e%2e%2f',
				'%00',
				'%E0%A4%A',
				'__proto__',
				'a'.repeat(3000),
			),
		),
		pass: fc.nat({ max: 15 }),
	}),
);

/** A quarter as a client means them: the others seldom succeed. */
const request = fc.tuple(fc.nat({ max: 3 }), fc.oneof(...requests)).map(([lot, drawn]) => {
	if (lot > 0) return drawn;
	const body = drawn.body === undefined ? undefined : GOOD[drawn.path];
	return { ...drawn, query: '', body, broken: undefined, key: 'all', idempotencyKey: null };
});

/** Ids by the first part of the path that gave them. */
const ids = new Map<string, string[]>();
const known = (path: string) => ids.get(firstPart(path)) ?? [];

/** Sends a request, whose answer the harness holds against the OpenAPI document, in which no 5xx is. */
async function send(
	{ method, path }: Pick<Endpoint, 'method' | 'path'>,
	id: string,
	{ query: asked = '', ...options }: RequestOptions & { query?: string },
): Promise<Answer> {
	const answer = await service.call(method, path.replace('{id}', id) + asked, options);
	// Where the sandbox's own code lies is nobody's business.
	expect(JSON.stringify(answer.body ?? '')).not.toMatch(/node_modules|\.ts:\d/);
	if (method === 'POST' && !path.includes('{id}') && answer.status < 300)
		ids.set(firstPart(path), [...known(path).slice(-40), answer.body.id]);
	return answer;
}

/** Lists and creations first, deletions last. */
const inOrder = [...endpoints].sort((one, other) => {
	const place = ({ method, path }: Endpoint) =>
		method === 'DELETE' ? 2 : Number(path.includes('{id}'));
	return place(one) - place(other);
});

test('every operation succeeds as a client means it', async () => {
	for (const endpoint of inOrder) {
		const [id = ''] = endpoint.path.startsWith('/jobs')
			? known('/generations')
			: known(endpoint.path);
		const { status } = await send(endpoint, id, { body: GOOD[endpoint.path] });
		expect([endpoint.method, endpoint.path, status < 300]).toEqual([
			endpoint.method,
			endpoint.path,
			true,
		]);
		// An agent run waits for a review after a while.
		service.pass(100);
	}
	expect(service.reported).toEqual([]);
});

test(`of ${ROUNDS} random requests over all operations none is a 5xx or outside the document`, async () => {
	const statuses: number[] = [];
	await fc.assert(
		fc.asyncProperty(request, async (draw) => {
			const mine = draw.path.startsWith('/jobs') ? [...ids.values()].flat() : known(draw.path);
			const id = typeof draw.which === 'number' ? mine[draw.which % mine.length] : draw.which;
			const { status } = await send(draw, id ?? 'nothing', {
				query: draw.query,
				key: draw.key === null ? null : service.keys[draw.key as keyof Harness['keys']],
				body: draw.body,
				raw: draw.body === undefined ? undefined : draw.broken,
				headers: draw.idempotencyKey === null ? {} : { 'idempotency-key': draw.idempotencyKey },
			});
			service.pass(draw.pass);
			statuses.push(status);
		}),
		{ numRuns: ROUNDS, endOnFailure: true },
	);
	expect(service.reported).toEqual([]);
	// Not all are refusals, and not all are refused for one reason.
	expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(ROUNDS / 5);
	expect(statuses).toEqual(expect.arrayContaining([200, 201, 202, 400, 401, 403, 404]));
});
