import { SINGLE_ITEM_SLOTS } from '../../src/contract';
import { anImage, startHarness, type Harness } from './support/harness';

let service: Harness;

beforeAll(async () => {
	service = await startHarness({ settings: { initialCredits: 100_000, concurrentJobs: 1_000 } });
});

afterAll(async () => {
	expect(service.reported).toEqual([]);
	await service.close();
});

const LINK = 'https://example.com/a.png';
const LITE = { model: 'service/speech-lite', blocks: [{ text: 'a' }] };
const TURBO = { ...LITE, model: 'vendor/partner/speech-2.8-turbo' };

/** A body that is taken, of each kind. */
const BODIES = {
	image: ['/generations', anImage()],
	lowLimit: ['/generations', anImage({ model: 'studio/image-2' })],
	film: ['/generations', { mode: 'video', model: 'studio/video-1', prompt: 'a fox' }],
	lite: ['/speech', LITE],
	turbo: ['/speech', TURBO],
	run: ['/agents/runs', { brief: 'a' }],
	clone: ['/voices', { kind: 'clone', name: 'a', audio_url: LINK }],
	design: ['/voices', { kind: 'design', name: 'a', description: 'b' }],
	upload: ['/personas', { source: 'upload', name: 'a', reference_images: [LINK] }],
	described: ['/personas', { source: 'describe', name: 'a', description: 'b' }],
	file: ['/files', { filename: 'a', content_type: 'image/png', size: 5 }],
	webhook: ['/webhooks', { url: LINK, events: ['voice.created'] }],
} as const;

const links = (count: number) => Array<string>(count).fill(LINK);
const blocks = (count: number) => Array(count).fill({ text: 'a' });

/** A field and its values just within the bounds of the specification, or of what it leaves open, and just beyond. */
const BOUNDS: Array<
	[kind: keyof typeof BODIES, field: string, taken: unknown[], refused: unknown[]]
> = [
	[
		'image',
		'prompt',
		['x'.repeat(10_000), '🦊'.repeat(10_000)],
		['', 'x'.repeat(10_001), 'a\u0000b'],
	],
	['lowLimit', 'prompt', ['x'.repeat(2_000)], ['x'.repeat(2_001)]],
	['image', 'mode', [], ['agent']],
	['image', 'model', [], ['studio/nothing', 'studio/video-1']],
	['image', 'persona_id', [], ['me', '3f2504e0-4f89-41d3-9a0c-0305e82c3301']],
	['image', 'delivery', ['public_url', 'signed_url'], ['email']],
	['image', 'parameters.count', [1, 16], [0, 17, 1.5, '2']],
	['image', 'parameters.size', ['64x64'], ['huge']],
	['image', 'parameters.lyrics', [], ['la']],
	['image', 'input.reference_images', [links(40)], []],
	['image', 'input.character[0]', [LINK], ['http://example.com/a.png', 'a.png']],
	['image', 'input.start_frame', [], [links(1)]],
	...SINGLE_ITEM_SLOTS.map((slot): (typeof BOUNDS)[number] => [
		'film',
		`input.${slot}`,
		[links(1)],
		[links(2)],
	]),
	['lite', 'model', [], ['studio/music-1']],
	['lite', 'blocks', [blocks(1), blocks(50)], [[], blocks(51)]],
	['lite', 'blocks[0].text', ['a'], ['', undefined]],
	['lite', 'blocks[0].voice', ['en-US-AvaLite'], ['en-US-MarinTurbo']],
	['turbo', 'blocks[0].voice', ['en-US-MarinTurbo'], ['en-US-AvaLite', 'nobody']],
	['lite', 'settings.volume', [0.1, 10], [0.09, 10.01]],
	['lite', 'settings.speed', [0.5, 2], [0.49, 2.01, '1']],
	['lite', 'settings.tag_compatible', [true, false], ['yes']],
	['run', 'brief', [], ['']],
	['run', 'source_images', [links(12)], [links(13)]],
	['run', 'source_images[0]', [LINK], ['http://example.com/a.png']],
	['run', 'max_credits', [1], [0]],
	['run', 'priority', ['cost', 'speed'], ['fast']],
	['run', 'direction_strategy', ['best', 'multiple'], ['all']],
	['clone', 'kind', [], ['copy']],
	['clone', 'name', ['n'.repeat(80)], ['', 'n'.repeat(81)]],
	['clone', 'preview_text', ['p'.repeat(500)], ['p'.repeat(501)]],
	['clone', 'audio_url', [], ['http://example.com/me.wav', undefined]],
	['design', 'name', ['n'.repeat(80)], ['n'.repeat(81)]],
	['design', 'description', ['d'.repeat(800)], ['d'.repeat(801)]],
	['design', 'preview_text', ['p'.repeat(500)], ['p'.repeat(501)]],
	['upload', 'source', [], ['dream']],
	['upload', 'name', ['n'.repeat(80)], ['n'.repeat(81)]],
	['upload', 'reference_images', [links(1), links(5)], [[], links(6)]],
	['described', 'description', ['d'.repeat(800)], ['d'.repeat(801)]],
	['file', 'filename', ['f'.repeat(255)], ['../../etc/passwd', 'a\\b.png', '..', '', 'a\nb']],
	['file', 'content_type', [], ['image', 'image/png\r\nx: y']],
	['file', 'size', [1, 512 * 1024 * 1024], [0, -1, 512 * 1024 * 1024 + 1, '5']],
	[
		'webhook',
		'url',
		[],
		['http://example.com/hook', 'ftp://example.com', 'example.com', undefined],
	],
	['webhook', 'events', [], [[], undefined]],
	['webhook', 'events[0]', ['persona.ready'], ['generation.started']],
];

/** A body in which the field at a path, such as `blocks[0].text`, has that value. */
function changed(body: object, path: string, value: unknown): object {
	const names = path.match(/\w+/g) ?? [];
	const copy = structuredClone(body) as Record<string, unknown>;
	names.reduce((at, name, index) => {
		const next = names[index + 1];
		if (next === undefined) at[name] = value;
		else at[name] ??= /\d/.test(next) ? [] : {};
		return at[name] as typeof at;
	}, copy);
	return copy;
}

test.each(BOUNDS)('%s: %s is taken within its bounds only', async (kind, field, taken, refused) => {
	const [path, body] = BODIES[kind];
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
	['limit=1', 200],
	['limit=100', 200],
	['limit=0', 400],
	['limit=101', 400],
	['limit=ten', 400],
	['cursor=2026-01-01T00:00:00Z', 200],
	['cursor=yesterday', 400],
])('GET /generations?%s is %i', async (query, status) => {
	expect((await service.get(`/generations?${query}`)).status).toBe(status);
});

test.each([
	[1, 202],
	[0, 400],
	[1.5, 400],
])('approval with a budget of %d is %i', async (max_credits, status) => {
	const { id } = (await service.post('/agents/runs', { brief: 'a' })).body;
	expect((await service.post(`/agents/runs/${id}/approve`, { max_credits })).status).toBe(status);
});
