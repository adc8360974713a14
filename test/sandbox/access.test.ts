import { kindOf, OPERATIONS } from './support/bodies';
import { startHarness, type Harness } from './support/harness';

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

test.each(['generations', 'agents/runs', 'voices', 'personas', 'webhooks'])(
	'what is in /%s is seen in its own workspace only',
	async (list) => {
		expect((await service.get(`/${list}`)).body.data).toHaveLength(1);
		const { data } = (await service.get(`/${list}`, { key: service.keys.other })).body;
		expect(data).toEqual([]);
	},
);

/** All scopes that there are, `GET /jobs/{id}` takes any that reads. */
const scopes = [...new Set(OPERATIONS.flatMap(({ scope }) => scope ?? []))];

const keyOf = async (key: string, ...of: string[]) => {
	await service.admin('POST', '/keys', { key, workspace: 'studio', scopes: of });
	return key;
};

test.each(OPERATIONS)(
	'$name asks for exactly its scope, for entitlement, and for an id of its own workspace',
	async ({ name, method, path, scope, body }) => {
		const ask = async (key: string, id = ids[kindOf(path)] ?? '') =>
			await service.call(method, path.replace('{id}', id), { key, body });
		const allowed = await ask(await keyOf(`only_${name}`, scope ?? 'usage:read'), 'nothing');
		expect(allowed.status).not.toBe(403);
		const others = scopes.filter((each) => (scope ? each !== scope : each.endsWith(':write')));
		const lacking = await ask(await keyOf(`not_${name}`, ...others));
		expect([lacking.status, lacking.body.error.details.scope]).toEqual([403, scope ?? null]);
		const { status, body: refused } = await ask(service.keys.unentitled);
		expect([status, refused.error.details]).toEqual([403, { reason: 'entitlement' }]);

		if (!path.includes('{id}')) return;
		expect((await ask(service.keys.other)).status).toBe(404);
		expect((await ask(service.keys.all, 'nothing')).status).toBe(404);
		expect((await ask(service.keys.all)).status).not.toBe(404);
	},
);

test('an address that there is not is 404 in the Error shape', async () => {
	const { status, body } = await service.get('/no/such/path');
	expect([status, body.error.type]).toEqual([404, 'not_found']);
});
