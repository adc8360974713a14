import { read } from '../support/sources';
import { BODIES, LITE } from './support/bodies';
import { anImage, startHarness, type Harness } from './support/harness';

let service: Harness;

beforeAll(async () => {
	service = await startHarness();
});
afterEach(async () => await service.admin('POST', '/reset'));
afterAll(async () => {
	expect(service.reported).toEqual([]);
	await service.close();
});

const patch = async (change: object) => await service.admin('PATCH', '/settings', change);
const give = async (amount: number, workspace = 'studio') =>
	await service.admin('POST', '/credits', { workspace, amount });

test('a reset brings back state and settings of the start, and the same ids', async () => {
	const { body: before } = await service.admin('GET', '/settings');
	const first = (await service.post('/generations', anImage())).body.id;
	const { body: after } = await patch({ concurrentJobs: 1, jobSeconds: { image: 1 } });
	// A group is changed field by field.
	const jobSeconds = { ...before.jobSeconds, image: 1 };
	expect(after).toEqual({ ...before, concurrentJobs: 1, jobSeconds });
	await service.admin('PUT', '/faults', { rules: [{ kind: 'storm' }] });
	expect((await service.admin('POST', '/reset')).status).toBe(200);
	expect((await service.get('/generations')).body.data).toEqual([]);
	expect((await service.admin('GET', '/settings')).body).toEqual(before);
	expect((await service.post('/generations', anImage())).body.id).toBe(first);
});

test('a new clock scale holds for what is pending, too', async () => {
	await patch({ jobJitter: 0, jobSeconds: { image: 100 } });
	const { id } = (await service.post('/generations', anImage())).body;
	service.pass(50);
	await patch({ clockScale: 10 });
	const status = async () => (await service.get(`/generations/${id}`)).body.status;
	service.pass(4.9);
	expect(await status()).toBe('queued');
	service.pass(0.2);
	expect(await status()).toBe('completed');
});

test('credits are added, and taken away down to 0; a top-up entitles, as any historical one does', async () => {
	expect((await give(5)).body).toEqual({ available: 10_005, reserved: 0, spent: 0 });
	expect((await give(-99_999)).body).toEqual({ available: 0, reserved: 0, spent: 0 });
	expect((await give(1, 'nowhere')).status).toBe(404);
	const mayUse = async () =>
		(await service.get('/credits', { key: service.keys.unentitled })).status === 200;
	expect(await mayUse()).toBe(false);
	await give(1, 'trial');
	expect(await mayUse()).toBe(true);
	await service.admin('PATCH', '/workspaces/trial', { entitled: false });
	expect(await mayUse()).toBe(false);
});

test('ledger and requests show every movement and request, without the key', async () => {
	await service.post('/generations', anImage(), { headers: { 'idempotency-key': 'mine' } });
	service.pass(60);
	const { balance, lines } = (await service.admin('GET', '/ledger?workspace=studio')).body;
	expect(balance).toEqual({ available: 9_998, reserved: 0, spent: 2 });
	const movements = lines.map(({ movement }: { movement: string }) => movement);
	expect(movements).toEqual(['grant', 'reserve', 'spend']);
	const { body: requests } = await service.admin('GET', '/requests');
	const sent = { idempotencyKey: 'mine', authorized: true, body: anImage() };
	expect(requests.data[0]).toMatchObject({ operation: 'createGeneration', status: 202, ...sent });
	expect(JSON.stringify(requests)).not.toContain(service.keys.all);
});

const persona = (count: number) => ({
	source: 'upload',
	name: 'Fox',
	reference_images: Array<string>(count).fill('https://example.com/a.png'),
});

test.each([
	[{ modelChecks: false }, '/generations', anImage({ parameters: { lyrics: 'la' } }), 202],
	[{ personaImages: 'guide' }, '/personas', persona(2), 400],
	[{ personaImages: 'guide' }, '/personas', persona(10), 201],
	[{ personaImages: 'guide' }, '/personas', persona(11), 400],
])('by the setting %j, %s %j is %i', async (change, path, body, status) => {
	await patch(change);
	expect((await service.post(path, body)).status).toBe(status);
});

test('the catalogue comes in another order, and without what is retired, which new jobs may not use', async () => {
	const ids = async (path: string) =>
		(await service.get(path)).body.data.map(({ id }: { id: string }) => id);
	const models = await ids('/models');
	const voices = await ids('/voices/catalog');
	const { id } = (await service.post('/generations', anImage())).body;
	await patch({ catalogueOrder: 'reversed' });
	expect(await ids('/models')).toEqual([...models].reverse());
	expect(await ids('/voices/catalog')).toEqual([...voices].reverse());
	await patch({ catalogueOrder: 'usual', retiredModels: ['studio/image-1', LITE] });
	const gone = (model: string) => model === 'studio/image-1' || model === LITE;
	expect(await ids('/models')).toEqual(models.filter((model: string) => !gone(model)));
	const refused = [
		await service.post('/generations', anImage()),
		await service.post('/speech', BODIES.createSpeech),
		await service.get('/voices/catalog'),
	];
	for (const { status, body } of refused)
		expect([status, body.error.message]).toEqual([400, 'model: is retired']);
	service.pass(60);
	expect((await service.get(`/generations/${id}`)).body.status).toBe('completed');
});

test('the states of an agent run have the names that are set', async () => {
	await patch({ agentStatusNames: { plan_proposed: 'draft' } });
	expect((await service.post('/agents/runs', { brief: 'a' })).body.status).toBe('draft');
});

/** What nobody should send, to each door of the admin path. */
const NONSENSE: Array<[method: string, path: string, ...bodies: unknown[]]> = [
	['PATCH', '/settings', undefined, [], 'x', { x: 1 }, { clockScale: 0 }, { jobSeconds: { x: 1 } }],
	['PATCH', '/workspaces/studio', undefined, []],
	['PUT', '/faults', undefined, { rules: [{ kind: 'no_such_fault' }] }],
	['PUT', '/faults', { rules: [{ kind: 'storm', retryAfter: '1\nX-Evil: 1' }] }],
	['PUT', '/faults', { rules: [{ kind: 'job_fail', operations: ['createGeneration'] }] }],
	['POST', '/credits', undefined, { workspace: 'studio' }, { workspace: 'studio', amount: 1e15 }],
	['POST', '/keys', { key: 'k', workspace: 'studio', scopes: ['everything'] }],
	['POST', '/keys', undefined, { key: 'a b', workspace: 'studio', scopes: [] }],
];

test.each(NONSENSE)('%s %s with %j is refused in words, and changes nothing', async (...given) => {
	const [method, path, ...bodies] = given;
	const look = async () => ({ ...(await service.admin('GET', '/overview')).body, now: undefined });
	const before = await look();
	for (const body of bodies) {
		const answer = await service.admin(method, path, body);
		expect([body, answer.status]).toEqual([body, 400]);
		expect(answer.body.error.message.length).toBeGreaterThan(10);
	}
	expect(await look()).toEqual(before);
});

test('docs/sandbox.md describes every setting and fault', async () => {
	const { settings, faults } = (await service.admin('GET', '/forms')).body;
	const names = [...Object.keys(settings.notes), ...Object.keys(faults.names)];
	const docs = read('docs/sandbox.md');
	expect(names.filter((name) => !docs.includes(`\`${name}\``))).toEqual([]);
});
