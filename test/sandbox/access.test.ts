import { anImage, startHarness, type Harness } from './support/harness';
import { BODIES, kindOf, OPERATIONS, TURBO } from './support/bodies';

let service: Harness;
/** One id of each kind, all of the workspace `studio`. */
const ids: Record<string, string> = {};

beforeAll(async () => {
	service = await startHarness();
	for (const { method, path, body } of OPERATIONS) {
		if (method === 'POST' && !path.includes('{id}'))
			ids[kindOf(path)] = (await service.post(path, body)).body.id;
	}
	ids.jobs = ids.speech ?? '';
});

afterAll(async () => {
	expect(service.reported).toEqual([]);
	await service.close();
});

test.each([undefined, 'Bearer nobody', 'Basic x', 'mgs_live_studio_all'])(
	'the header Authorization: %s is 401 in the Error shape',
	async (authorization) => {
		const headers: Record<string, string> = authorization ? { authorization } : {};
		const answer = await service.get('/credits', { key: null, headers });
		expect(answer.status).toBe(401);
		const request_id = answer.headers.get('x-request-id');
		expect(answer.body.error).toMatchObject({ type: 'authentication', request_id });
	},
);

/** All scopes that there are, `GET /jobs/{id}` takes any that reads. */
const scopes = [...new Set(OPERATIONS.flatMap(({ scope }) => scope ?? []))];

const keyOf = async (key: string, ...of: string[]) => {
	await service.admin('POST', '/keys', { key, workspace: 'studio', scopes: of });
	return key;
};

describe.each(OPERATIONS)('$name', ({ name, method, path, scope, body }) => {
	const ask = async (key: string, id = ids[kindOf(path)] ?? '') =>
		await service.call(method, path.replace('{id}', id), { key, body });

	test('asks for exactly its scope, and for entitlement', async () => {
		const allowed = await ask(await keyOf(`only_${name}`, scope ?? 'usage:read'), 'nothing');
		expect(allowed.status).not.toBe(403);
		const others = scopes.filter((each) => (scope ? each !== scope : each.endsWith(':write')));
		const lacking = await ask(await keyOf(`not_${name}`, ...others));
		expect([lacking.status, lacking.body.error.details.scope]).toEqual([403, scope ?? null]);
		const { status, body: refused } = await ask(service.keys.unentitled);
		expect([status, refused.error.details]).toEqual([403, { reason: 'entitlement' }]);
	});

	if (!path.includes('{id}')) return;

	test('knows an id in its own workspace only', async () => {
		const foreign = await ask(service.keys.other);
		const unknown = await ask(service.keys.all, 'nothing');
		expect([foreign.status, unknown.status]).toEqual([404, 404]);
		expect((await ask(service.keys.all)).status).not.toBe(404);
	});
});

test('lists, voices, personas and credits are of one workspace', async () => {
	const key = service.keys.other;
	for (const path of [
		'/generations',
		'/agents/runs',
		'/voices',
		'/personas',
		'/webhooks',
		'/usage',
	])
		expect([path, (await service.get(path, { key })).body.data]).toEqual([path, []]);
	const { id: voice } = (await service.post('/voices', BODIES.createVoice)).body;
	const reference_images = ['https://example.com/a.png'];
	const persona = { source: 'upload', name: 'a', reference_images };
	const { id: persona_id } = (await service.post('/personas', persona)).body;
	const status = async (path: string, body: object) => [
		(await service.post(path, body)).status,
		(await service.post(path, body, { key })).status,
	];
	expect(await status('/generations', anImage({ persona_id }))).toEqual([202, 400]);
	const spoken = { model: TURBO, blocks: [{ text: 'a', voice }] };
	expect(await status('/speech', spoken)).toEqual([202, 400]);
	expect((await service.get('/credits', { key })).body).toMatchObject({ spent: 0, reserved: 0 });
});

test('an address that there is not is 404 in the Error shape', async () => {
	const { status, body } = await service.get('/no/such/path');
	expect([status, body.error.type]).toEqual([404, 'not_found']);
});
