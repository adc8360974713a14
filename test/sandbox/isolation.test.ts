import { ENDPOINTS } from '../../src/contract';
import { anImage, startHarness, type Harness } from './support/harness';
import { elementAt } from './support/elementAt';

let service: Harness;
/** One id of each kind, all of the workspace `studio`. */
const ids: Record<string, string> = {};

beforeAll(async () => {
	service = await startHarness();
	const create = async (path: string, body: object) => (await service.post(path, body)).body.id;
	ids.generations = await create('/generations', anImage());
	ids.speech = await create('/speech', { model: 'service/speech-lite', blocks: [{ text: 'a' }] });
	ids.agents = await create('/agents/runs', { brief: 'a' });
	ids.voices = await create('/voices', { kind: 'design', name: 'a', description: 'b' });
	const images = ['https://example.com/a.png'];
	const persona = { source: 'upload', name: 'a', reference_images: images };
	ids.personas = await create('/personas', persona);
	ids.webhooks = await create('/webhooks', {
		url: 'https://127.0.0.1:9/',
		events: ['agent.failed'],
	});
});

afterAll(async () => {
	expect(service.reported).toEqual([]);
	await service.close();
});

const BODIES: Record<string, object> = {
	approveAgentRun: { max_credits: 1 },
	reviewAgentRun: { decision: 'assemble' },
	renameVoice: { name: 'x' },
	updatePersona: {},
	updateWebhook: {},
};

function idFor(path: string): string {
	const id = ids[elementAt(path.split('/'), 1)];
	if (!id) throw new Error(`No id for ${path}`);
	return id;
}

const byId = Object.entries(ENDPOINTS).flatMap(([name, { method, path }]) =>
	path.includes('{id}') && name !== 'getJob' ? [[name, method, path] as const] : [],
);

test.each(byId)(
	'%s of another workspace’s id is 404, and of one’s own is not',
	async (name, method, path) => {
		const target = path.replace('{id}', idFor(path));
		const body = BODIES[name];
		const foreign = await service.call(method, target, { key: service.keys.other, body });
		expect(foreign.status).toBe(404);
		if (method === 'DELETE') return;
		expect((await service.call(method, target, { body })).status).not.toBe(404);
	},
);

test.each(['generations', 'speech', 'agents', 'personas'])(
	'nor is it a job of %s there',
	async (kind) => {
		expect((await service.get(`/jobs/${ids[kind]}`)).status).toBe(200);
		expect((await service.get(`/jobs/${ids[kind]}`, { key: service.keys.other })).status).toBe(404);
	},
);

test.each(['/generations', '/agents/runs', '/voices', '/personas', '/webhooks'])(
	'%s lists only what is one’s own',
	async (path) => {
		expect((await service.get(path)).body.data).toHaveLength(1);
		expect((await service.get(path, { key: service.keys.other })).body.data).toEqual([]);
	},
);

test('personas and voices of another workspace cannot be used', async () => {
	const key = service.keys.other;
	const portrait = anImage({ persona_id: ids.personas });
	expect((await service.post('/generations', portrait, { key })).status).toBe(400);
	const model = 'vendor/partner/speech-2.8-turbo';
	const spoken = { model, blocks: [{ text: 'a', voice: ids.voices }] };
	expect((await service.post('/speech', spoken, { key })).status).toBe(400);
	expect((await service.post('/speech', spoken)).status).toBe(202);
});

test('credits and usage are one’s own', async () => {
	const key = service.keys.other;
	expect((await service.get('/credits', { key })).body).toMatchObject({ spent: 0, reserved: 0 });
	expect((await service.get('/usage', { key })).body.data).toEqual([]);
});
