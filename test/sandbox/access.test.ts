import { ENDPOINTS } from '../../src/contract';
import { anImage, harnessForEach, type Harness } from './support/harness';

let service: Harness;
harnessForEach((started) => (service = started));

test('no key, a wrong key and a malformed header are 401 in the Error shape', async () => {
	for (const authorization of [
		undefined,
		'Bearer nobody',
		'Bearer',
		'Basic x',
		'mgs_live_studio_all',
	]) {
		const headers: Record<string, string> = authorization ? { authorization } : {};
		const answer = await service.get('/credits', { key: null, headers });
		expect(answer.status).toBe(401);
		expect(answer.body.error).toMatchObject({
			type: 'authentication',
			message: expect.any(String),
			request_id: answer.headers.get('x-request-id'),
		});
	}
});

test('a key without the scope is 403 and names the scope', async () => {
	const { status, body } = await service.post('/generations', anImage(), {
		key: service.keys.read,
	});
	expect(status).toBe(403);
	expect(body.error).toMatchObject({ type: 'permission', details: { scope: 'generations:write' } });
});

test('a workspace without entitlement is 403 for every operation', async () => {
	for (const { method, path } of Object.values(ENDPOINTS)) {
		const { status, body } = await service.call(method, path.replace('{id}', 'x'), {
			key: service.keys.unentitled,
		});
		expect([path, status, body.error.details]).toEqual([path, 403, { reason: 'entitlement' }]);
	}
});

test('every operation asks for exactly its scope', async () => {
	for (const [name, { method, path, scope }] of Object.entries(ENDPOINTS)) {
		if (!scope) continue;
		const key = `only_${name}`;
		await service.admin('POST', '/keys', { key, workspace: 'studio', scopes: [scope] });
		const with_ = await service.call(method, path.replace('{id}', 'x'), {
			key,
			body: method === 'GET' ? undefined : {},
		});
		expect([name, with_.status]).not.toEqual([name, 403]);
		const key2 = `all_but_${name}`;
		const scopes = Object.values(ENDPOINTS).flatMap((each) =>
			each.scope && each.scope !== scope ? [each.scope] : [],
		);
		await service.admin('POST', '/keys', { key: key2, workspace: 'studio', scopes });
		const without = await service.call(method, path.replace('{id}', 'x'), { key: key2 });
		expect([name, without.status]).toEqual([name, 403]);
	}
});

test.each(['/generations/nothing', '/jobs/nothing', '/jobs/..%2f..%2fetc', '/no/such/path'])(
	'%s is 404 in the Error shape',
	async (path) => {
		const { status, body } = await service.get(path);
		expect(status).toBe(404);
		expect(body.error.type).toBe('not_found');
	},
);

describe('a body that is not a JSON object is a 400', () => {
	test.each([
		['malformed', '{"mode":', 'application/json'],
		['empty', '', 'application/json'],
		['an array', '[]', 'application/json'],
		['a string', '"x"', 'application/json'],
		['null', 'null', 'application/json'],
		['of another type', '{}', 'text/plain'],
		['a form', 'a=b', 'application/x-www-form-urlencoded'],
		['in another charset', '{}', 'application/json; charset=utf-7'],
		['deep', '['.repeat(200_000) + ']'.repeat(200_000), 'application/json'],
		['deep inside', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'application/json'],
		['huge', JSON.stringify({ prompt: 'x'.repeat(11 * 1024 * 1024) }), 'application/json'],
	])('%s', async (_name, raw, type) => {
		const answer = await service.call('POST', '/generations', {
			raw,
			headers: { 'content-type': type },
		});
		expect(answer.status).toBe(400);
		expect(answer.body.error.type).toBe('invalid_request');
		expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|\.ts:/);
		expect((await service.admin('GET', '/requests')).status).toBe(200);
	});
});
