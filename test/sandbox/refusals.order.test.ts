import { anImage, harnessForEach, type Harness } from './support/harness';
import { changed } from './support/bodies';

let service: Harness;
harnessForEach((started) => {
	service = started;
});

test('of all that is wrong with a request, what docs/sandbox.md names first is told', async () => {
	const { admin, send, sandbox } = service;
	const scopes = ['generations:read'];
	await admin('POST', '/keys', { key: 'k_read', workspace: 'trial', scopes });
	await admin('POST', '/keys', { key: 'k_all', workspace: 'trial', scopes: ['generations:write'] });
	await admin('PUT', '/faults', { rules: [{ kind: 'storm', retryAfter: 'fault' }] });
	await admin('PATCH', '/settings', { requestsPerMinute: 1, concurrentJobs: 1 });
	await admin('POST', '/credits', { workspace: 'trial', amount: -10_000 });

	let key = 'k_unknown';
	const headers: Record<string, string> = {
		'content-type': 'text/plain',
		'idempotency-key': 'k'.repeat(256),
	};
	let body: object = {
		...anImage({ model: 'studio/nothing' }),
		prompt: '\0',
		mode: 'smell',
		parameters: { size: 'huge' },
		persona_id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
		input: { character: ['http://example.com/a.png'] },
	};
	const ask = async () =>
		await send('POST', `${sandbox.baseUrl}/generations`, { key, body, headers });
	const told = async () => {
		const { status, body: answer, headers: given } = await ask();
		const { type, details } = answer.error;
		const fields = details?.issues?.map(({ field }: { field: string }) => field).join();
		return `${status} ${given.get('retry-after') ?? fields ?? details?.reason ?? type}`;
	};
	const set = (field: string, value: unknown) => {
		body = changed(body, field, value);
	};

	expect(await told()).toBe('401 authentication');
	key = 'k_read';
	expect(await told()).toBe('429 fault');
	await admin('PUT', '/faults', { rules: [] });
	expect(await told()).toBe('403 entitlement');
	expect(await told()).toBe('429 rate_limit');
	await admin('PATCH', '/settings', { requestsPerMinute: 100 });
	await admin('PATCH', '/workspaces/trial', { entitled: true });
	expect(await told()).toBe('403 scope');
	key = 'k_all';
	expect(await told()).toBe('400 Content-Type');
	headers['content-type'] = 'application/json';
	expect(await told()).toBe('400 prompt');
	set('prompt', 'x'.repeat(9_999));
	expect(await told()).toBe('400 Idempotency-Key');
	headers['idempotency-key'] = 'k';
	expect(await told()).toBe('400 mode');
	set('mode', 'audio');
	expect(await told()).toBe('400 model');
	set('model', 'studio/image-2');
	expect(await told()).toBe('400 model');
	set('mode', 'image');
	expect(await told()).toBe('400 prompt');
	set('prompt', 'a fox');
	expect(await told()).toBe('400 parameters.size');
	set('parameters', {});
	expect(await told()).toBe('400 persona_id');
	set('persona_id', undefined);
	expect(await told()).toBe('400 input.character');
	set('input', { reference_images: ['http://example.com/a.png'] });
	expect(await told()).toBe('400 input.reference_images[0]');
	set('input', {});
	expect(await told()).toBe('402 insufficient_credits');
	await admin('POST', '/credits', { workspace: 'trial', amount: 4 });
	headers['idempotency-key'] = 'other';
	expect((await ask()).status).toBe(202);
	headers['idempotency-key'] = 'k';
	expect(await told()).toBe('429 concurrency_limit');
	headers['idempotency-key'] = 'other';
	expect((await ask()).status).toBe(202);
	set('mode', 'smell');
	expect(await told()).toBe('400 Idempotency-Key');
});

test('an unknown id is told after fields that are wrong, and before a state that does not allow it', async () => {
	const review = async (id: string, decision: string) =>
		(await service.post(`/agents/runs/${id}/review`, { decision })).status;
	expect(await review('nothing', 'maybe')).toBe(400);
	expect(await review('nothing', 'assemble')).toBe(404);
	const { id } = (await service.post('/agents/runs', { brief: 'a fox' })).body;
	expect(await review(id, 'assemble')).toBe(400);
});
