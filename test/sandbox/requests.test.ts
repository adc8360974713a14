import { anImage, startHarness, type Harness } from './support/harness';
import { changed, LITE, TURBO } from './support/bodies';
import { document } from './support/openapi';

let service: Harness;

beforeAll(async () => {
	service = await startHarness({ settings: { initialCredits: 100_000, concurrentJobs: 1_000 } });
});

afterAll(async () => {
	expect(service.reported).toEqual([]);
	await service.close();
});

const LINK = 'https://example.com/a.png';
const links = (count: number) => Array<string>(count).fill(LINK);
const blocks = (count: number) => Array(count).fill({ text: 'a' });

/** A body of each kind that is accepted. */
const KINDS = {
	image: ['/generations', anImage()],
	lowLimit: ['/generations', anImage({ model: 'studio/image-2' })],
	lite: ['/speech', { model: LITE, blocks: blocks(1) }],
	turbo: ['/speech', { model: TURBO, blocks: blocks(1) }],
	clone: ['/voices', { kind: 'clone', name: 'a', audio_url: LINK }],
	design: ['/voices', { kind: 'design', name: 'a', description: 'b' }],
	upload: ['/personas', { source: 'upload', name: 'a', reference_images: [LINK] }],
	file: ['/files', { filename: 'a', content_type: 'image/png', size: 5 }],
	webhook: ['/webhooks', { url: LINK, events: ['voice.created'] }],
} as const;

type Bound = [kind: keyof typeof KINDS, field: string, taken: unknown[], refused: unknown[]];

/**
 * A field, its values just within its bounds and just beyond. Bounds that the OpenAPI document can say are in
 * `docs/openapi.json`, which a test holds to the schemas: of these only the first two rows.
 */
const BOUNDS: Bound[] = [
	['lite', 'blocks', [blocks(1), blocks(50)], [[], blocks(51)]],
	['image', 'parameters.count', [1, 16], [0, 17, 1.5, '2']],
	['image', 'prompt', ['x'.repeat(10_000)], ['', '\0']],
	['lowLimit', 'prompt', ['x'.repeat(2_000)], ['x'.repeat(2_001)]],
	['image', 'model', [], ['studio/nothing', 'studio/video-1']],
	['image', 'persona_id', [], ['me', '3f2504e0-4f89-41d3-9a0c-0305e82c3301']],
	['image', 'parameters.size', ['64x64'], ['huge']],
	['image', 'parameters.lyrics', [], ['la']],
	['image', 'input.character[0]', [LINK], ['http://example.com/a.png', 'a.png']],
	['lite', 'blocks[0].voice', ['en-US-AvaLite'], ['en-US-MarinTurbo']],
	['turbo', 'blocks[0].voice', ['en-US-MarinTurbo'], ['en-US-AvaLite', 'nobody']],
	['clone', 'audio_url', [], ['http://example.com/me.wav', undefined]],
	['upload', 'reference_images', [links(1), links(5)], [[], links(6)]],
	['file', 'filename', [], ['../../etc/passwd', 'a\\b.png', '..', '', 'a\nb']],
	['file', 'size', [1, 512 * 1024 * 1024], [0, -1, 512 * 1024 * 1024 + 1, '5']],
	['webhook', 'url', [], ['http://example.com/hook', 'example.com', undefined]],
	['clone', 'audio_url', ['https://example.com/%C3%A4'], [`${LINK}?ä`, `${LINK}? `, `${LINK}?%z`]],
];

/** Texts and their most characters, which are code points: a fox is one. */
const LENGTHS: Array<[kind: keyof typeof KINDS, field: string, most: number]> = [
	['image', 'prompt', 10_000],
	['image', 'input.character[0]', 8_192],
	['clone', 'name', 80],
	['clone', 'preview_text', 500],
	['design', 'name', 80],
	['design', 'description', 800],
	['design', 'preview_text', 500],
	['upload', 'name', 80],
	['upload', 'reference_images[0]', 8_192],
	['file', 'filename', 255],
	['webhook', 'url', 8_192],
	['webhook', 'description', 1_000],
];

test.each(LENGTHS)(
	'%s: %s has at most %i characters, here and in the document',
	async (...given) => {
		const [kind, field, most] = given;
		const [path, body] = KINDS[kind];
		const isUri = /url|\[0\]/.test(field);
		const long = (count: number) =>
			isUri ? LINK + 'x'.repeat(count - LINK.length) : '🦊'.repeat(count);
		expect((await service.post(path, changed(body, field, long(most)))).status).toBeLessThan(300);
		const { status, body: answer } = await service.post(path, changed(body, field, long(most + 1)));
		expect([status, answer.error.details.issues[0].field]).toEqual([400, field]);
		const { requestBody } = document.paths[path].post;
		const name = requestBody.content['application/json'].schema.$ref.split('/').at(-1);
		const text = JSON.stringify(document.components.schemas[name]);
		const last = field.replace('[0]', '').split('.').at(-1);
		const said = [...text.matchAll(new RegExp(`"${last}":{[^{}]*({[^{}]*})?`, 'g'))].map(String);
		expect(said.some((schema) => schema.includes(`"maxLength":${most}`))).toBe(true);
	},
);

test.each(BOUNDS)('%s: %s is taken within its bounds only', async (kind, field, taken, refused) => {
	const [path, body] = KINDS[kind];
	for (const value of taken) {
		const answer = await service.post(path, changed(body, field, value));
		expect([value, answer.status, answer.body]).not.toEqual([value, 400, answer.body]);
	}
	for (const value of refused) {
		const answer = await service.post(path, changed(body, field, value));
		const named = answer.body.error?.details.issues[0].field;
		expect([value, answer.status, named]).toEqual([value, 400, field]);
	}
});

test.each([
	['/generations', anImage(), 'parameters.no_such_field'],
	['/speech', KINDS.lite[1], 'blocks[0].no_such_field'],
	['/voices', KINDS.design[1], 'no_such_field'],
])('POST %s %j passes over %s, or refuses it by name, as set', async (path, body, field) => {
	const sent = changed(body, field, 'b');
	expect([201, 202]).toContain((await service.post(path, sent)).status);
	await service.admin('PATCH', '/settings', { strictFields: true });
	const { status, body: answer } = await service.post(path, sent);
	await service.admin('PATCH', '/settings', { strictFields: false });
	expect(status).toBe(400);
	expect(answer.error.details.issues).toEqual([{ field, message: 'is unknown' }]);
});

test('a field that is unknown does not hide a known one that is wrong', async () => {
	const body = anImage({ no_such_field: 7, parameters: { no_such_field: 7, count: 99 } });
	const { body: answer } = await service.post('/generations', body);
	expect(answer.error.details.issues).toMatchObject([{ field: 'parameters.count' }]);
});

test.each([
	['malformed', '{"mode":', 'application/json'],
	['an array', '[]', 'application/json'],
	['of another type', '{}', 'text/plain'],
	['deep', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'application/json'],
	['huge', JSON.stringify({ prompt: 'x'.repeat(11 * 1024 * 1024) }), 'application/json'],
])('a body that is %s is 400', async (_name, raw, type) => {
	const headers = { 'content-type': type };
	const { status, body } = await service.call('POST', '/generations', { raw, headers });
	expect([status, body.error.type]).toEqual([400, 'invalid_request']);
	expect((await service.admin('GET', '/requests')).status).toBe(200);
});
