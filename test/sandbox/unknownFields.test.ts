import { ENDPOINTS } from '../../src/contract';
import { anImage, harnessForEach, type Harness } from './support/harness';

let service: Harness;
harnessForEach((started) => (service = started));

const model = 'service/speech-lite';

/** A body of each kind with fields that the contract does not name, at every depth. */
const BODIES: Array<[path: string, body: object, unknown: string]> = [
	['/files', { filename: 'a', content_type: 'text/plain', size: 1, folder: 'b' }, 'folder'],
	['/generations', anImage({ seed: 7 }), 'seed'],
	['/generations', anImage({ parameters: { count: 1, seed: 7 } }), 'parameters.seed'],
	['/generations', anImage({ input: { mask: ['https://example.com/a.png'] } }), 'input.mask'],
	['/speech', { model, blocks: [{ text: 'a', mood: 'b' }] }, 'blocks[0].mood'],
	['/speech', { model, blocks: [{ text: 'a' }], settings: { pitch: 2 } }, 'settings.pitch'],
	['/agents/runs', { brief: 'a', title: 'b' }, 'title'],
	['/voices', { kind: 'design', name: 'a', description: 'b', audio_url: 'c' }, 'audio_url'],
	['/personas', { source: 'describe', name: 'a', description: 'b', age: 7 }, 'age'],
	[
		'/webhooks',
		{ url: 'https://127.0.0.1:9/', events: ['voice.created'], secret: 'mine' },
		'secret',
	],
];

test.each(BODIES)(
	'POST %s passes over an unknown field, or refuses it by name',
	async (...given) => {
		const [path, body, unknown] = given;
		expect([201, 202]).toContain((await service.post(path, body)).status);
		await service.admin('PATCH', '/settings', { strictFields: true });
		const answer = await service.post(path, body);
		expect(answer.status).toBe(400);
		expect(answer.body.error.details.issues).toEqual([{ field: unknown, message: 'is unknown' }]);
	},
);

test('of known fields and unknown ones in one body, the known ones are still judged', async () => {
	const body = anImage({ seed: 7, parameters: { seed: 7, count: 99 } });
	const { status, body: answer } = await service.post('/generations', body);
	expect(status).toBe(400);
	expect(answer.error.details.issues).toHaveLength(1);
	expect(answer.error.details.issues[0].field).toBe('parameters.count');
});

const lists = Object.entries(ENDPOINTS).flatMap(([name, { method, path }]) =>
	method === 'GET' && !path.includes('{id}') ? [[path, name] as const] : [],
);

test.each(lists)('GET %s passes over a query that it does not know', async (path, name) => {
	expect((await service.get(`${path}?page=2`)).status).toBe(200);
	await service.admin('PATCH', '/settings', { strictFields: true });
	const { status, body } = await service.get(`${path}?page=2`);
	expect([name, status]).toEqual([name, 400]);
	expect(body.error.message).toBe('page: is unknown');
});
