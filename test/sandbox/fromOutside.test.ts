import { createSandbox, type SandboxOptions } from '../../sandbox/server';
import { anImage, harnessForEach, type Harness } from './support/harness';

let service: Harness;
harnessForEach((started) => (service = started));

/** What nobody should send, to each door of the admin path. */
const NONSENSE: Array<[method: string, path: string, body: unknown]> = [
	...['/settings', '/workspaces/studio'].flatMap((path) =>
		[undefined, [], null, 'x', 7, [{}]].map((body): [string, string, unknown] => [
			'PATCH',
			path,
			body,
		]),
	),
	...[
		{ nothing: 1 },
		{ voices: -1 },
		{ clockScale: 0 },
		{ jobSeconds: [1] },
		{ jobSeconds: { nothing: 1 } },
		{ agentStatusNames: { nothing: 'x' } },
		{ agentStatusNames: { queued: '' } },
		{ deliverySchedule: [] },
	].map((body): [string, string, unknown] => ['PATCH', '/settings', body]),
	...[
		undefined,
		[],
		null,
		{ rules: {} },
		{ rules: [{}] },
		...[
			{ kind: 'earthquake' },
			{ kind: 'storm', operations: ['nothing'] },
			{ kind: 'storm', events: ['voice.created'] },
			{ kind: 'storm', status: 503 },
			{ kind: 'storm', retryAfter: '1\nX-Evil: 1' },
			{ kind: 'status_before', retryAfter: '1\r\n' },
			{ kind: 'status_after', retryAfter: 'später' },
			{ kind: 'status_before', status: 200 },
			{ kind: 'slow', seconds: 1e12 },
			{ kind: 'job_fail', operations: ['createGeneration'] },
			{ kind: 'job_fail', mode: 'text' },
			{ kind: 'delivery_lose', events: ['nothing'] },
			{ kind: 'delivery_lose', operations: ['createGeneration'] },
			{ kind: 'cut_download', bytes: -1 },
			{ kind: 'lost_before', copies: 2 },
			{ kind: 'lost_before', nothing: 2 },
		].map((rule) => ({ rules: [rule] })),
	].map((body): [string, string, unknown] => ['PUT', '/faults', body]),
	...[
		undefined,
		[],
		{ workspace: 'studio' },
		{ workspace: 'studio', amount: 1e15 },
		{ workspace: 'studio', amount: '5' },
		{ workspace: ['studio'], amount: 5 },
	].map((body): [string, string, unknown] => ['POST', '/credits', body]),
	...[
		undefined,
		[],
		{ key: 'a b', workspace: 'studio', scopes: [] },
		{ key: 'k'.repeat(201), workspace: 'studio', scopes: [] },
		{ key: 'k', workspace: 'a/b', scopes: [] },
		{ key: 'k', workspace: 'w'.repeat(81), scopes: [] },
		{ key: 'k', workspace: 'studio', scopes: ['everything'] },
	].map((body): [string, string, unknown] => ['POST', '/keys', body]),
	['GET', '/ledger?workspace=a&workspace=b', undefined],
	['GET', '/ledger?workspaces=studio', undefined],
];

test.each(NONSENSE)('%s %s with %j is refused in words, and changes nothing', async (...given) => {
	const [method, path, body] = given;
	const look = async () => ({ ...(await service.admin('GET', '/overview')).body, now: undefined });
	const before = await look();
	const answer = await service.admin(method, path, body);
	expect(answer.status).toBe(400);
	expect(answer.body.error).toMatchObject({ type: 'invalid_request' });
	expect(answer.body.error.message.length).toBeGreaterThan(10);
	expect(await look()).toEqual(before);
});

test('a body that is not said to be JSON is refused, not taken for an empty one', async () => {
	for (const path of ['/settings', '/faults']) {
		const answer = await fetch(service.sandbox.adminUrl + path, {
			method: path === '/faults' ? 'PUT' : 'PATCH',
			body: '{"voices": 3}',
			headers: { 'content-type': 'text/plain' },
		});
		expect(answer.status).toBe(400);
	}
});

test('every fault that is switched on is answered, and none is a fault of the sandbox', async () => {
	const retryAfter = ' ~!"§'.replace('§', ';');
	await service.admin('PUT', '/faults', { rules: [{ kind: 'storm', retryAfter, times: 1 }] });
	expect((await service.post('/generations', anImage())).status).toBe(429);
});

/** Options that a program hands over; those of the command line have a test of their own. */
const WRONG: Array<[string, object]> = [
	['settings', { settings: null }],
	['settings', { settings: 'x' }],
	['publicUrl', { publicUrl: 'media.example.com' }],
	['publicUrl', { publicUrl: '' }],
	['publicUrl', { publicUrl: 'https://example.com/?a=b' }],
	['publicUrl', { publicUrl: 'https://me:secret@example.com/' }],
	['port', { port: -1 }],
	['port', { port: NaN }],
	['host', { host: '' }],
	['data', { data: '' }],
];

test.each(WRONG)('a start with a wrong %s is refused: %j', async (field, options) => {
	const start = createSandbox(options as SandboxOptions);
	await expect(start).rejects.toThrow(new RegExp(`^${field}: `));
});

test.each([
	'https://media.example.com',
	'https://media.example.com/',
	'https://media.example.com/v1',
])('a public address may be %s', async (publicUrl) => {
	const sandbox = await createSandbox({ publicUrl });
	expect(sandbox.service.links.origin).toBe('https://media.example.com');
	await sandbox.close();
});
