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

const URL_OF_A = 'https://example.com/a.png';
const LITE = 'service/speech-lite';
const TURBO = 'vendor/partner/speech-2.8-turbo';

const images = (count: number) => Array<string>(count).fill(URL_OF_A);
const clone = (more: object) => ({ kind: 'clone', name: 'a', audio_url: URL_OF_A, ...more });
const design = (more: object) => ({ kind: 'design', name: 'a', description: 'b', ...more });
const upload = (more: object) => ({
	source: 'upload',
	name: 'a',
	reference_images: images(3),
	...more,
});
const described = (more: object) => ({ source: 'describe', name: 'a', description: 'b', ...more });
const speech = (more: object) => ({ model: LITE, blocks: [{ text: 'a' }], ...more });
const spoken = (settings: object) => speech({ settings });
const voiced = (model: string, voice: string) => ({ model, blocks: [{ text: 'a', voice }] });
const run = (more: object) => ({ brief: 'a', ...more });
const file = (more: object) => ({ filename: 'a', content_type: 'image/png', size: 5, ...more });
const hook = (more: object) => ({ url: URL_OF_A, events: ['voice.created'], ...more });
const film = (slot: string, items: string[]) => ({
	...{ mode: 'video', model: 'studio/video-1', prompt: 'a fox' },
	input: { [slot]: items },
});

/** Bodies that are just within the bounds of the specification, or of what it leaves open. */
const ACCEPTED: Array<[path: string, ...bodies: object[]]> = [
	[
		'/generations',
		anImage({ prompt: 'x'.repeat(10_000) }),
		anImage({ prompt: '🦊'.repeat(10_000) }),
		anImage({ parameters: { count: 1 } }),
		anImage({ parameters: { count: 16 } }),
		anImage({ input: { character: images(1) } }),
		anImage({ input: { reference_images: images(40) } }),
		anImage({ delivery: 'signed_url' }),
		...SINGLE_ITEM_SLOTS.map((slot) => film(slot, images(1))),
	],
	[
		'/speech',
		speech({ blocks: Array(50).fill({ text: 'a' }) }),
		...[spoken({ volume: 0.1, speed: 0.5 }), spoken({ volume: 10, speed: 2 })],
		spoken({ loudness_normalization: false, text_normalization: true, tag_compatible: false }),
		...[voiced(LITE, 'en-US-AvaLite'), voiced(TURBO, 'en-US-MarinTurbo')],
	],
	[
		'/agents/runs',
		run({ source_images: images(12), max_credits: 1 }),
		run({ priority: 'cost', direction_strategy: 'multiple' }),
	],
	[
		'/voices',
		clone({ name: 'n'.repeat(80), preview_text: 'p'.repeat(500) }),
		design({ name: 'n'.repeat(80), description: 'd'.repeat(800) }),
	],
	[
		'/personas',
		...[upload({ reference_images: images(1) }), upload({ reference_images: images(5) })],
		upload({ name: 'n'.repeat(80) }),
		described({ description: 'd'.repeat(800) }),
	],
];

test.each(ACCEPTED)('POST %s takes what is just within its bounds', async (path, ...bodies) => {
	for (const body of bodies) {
		const answer = await service.post(path, body);
		expect([answer.status, answer.body]).not.toEqual([400, answer.body]);
	}
});

const REFUSED: Array<[path: string, field: string, ...bodies: object[]]> = [
	[
		'/generations',
		'prompt',
		...['', 'x'.repeat(10_001), 'a\u0000b'].map((prompt) => anImage({ prompt })),
		anImage({ model: 'studio/image-2', prompt: 'x'.repeat(2_001) }),
	],
	[
		'/generations',
		'parameters.count',
		...[0, 17, 1.5, '2'].map((count) => anImage({ parameters: { count } })),
	],
	['/generations', 'parameters.size', anImage({ parameters: { size: 'huge' } })],
	['/generations', 'parameters.lyrics', anImage({ parameters: { lyrics: 'la' } })],
	[
		'/generations',
		'input.character[0]',
		anImage({ input: { character: ['http://example.com/a.png'] } }),
		anImage({ input: { character: ['a.png'] } }),
	],
	['/generations', 'input.start_frame', anImage({ input: { start_frame: images(1) } })],
	...SINGLE_ITEM_SLOTS.map((slot): [string, string, object] => [
		...(['/generations', `input.${slot}`] as const),
		film(slot, images(2)),
	]),
	['/generations', 'mode', anImage({ mode: 'agent' })],
	[
		'/generations',
		'model',
		...['studio/nothing', 'studio/video-1'].map((model) => anImage({ model })),
	],
	[
		'/generations',
		'persona_id',
		...['me', '3f2504e0-4f89-41d3-9a0c-0305e82c3301'].map((persona_id) => anImage({ persona_id })),
	],
	['/generations', 'delivery', anImage({ delivery: 'email' })],
	[
		'/speech',
		'blocks',
		...[speech({ blocks: Array(51).fill({ text: 'a' }) }), speech({ blocks: [] })],
	],
	['/speech', 'blocks[0].text', speech({ blocks: [{ text: '' }] }), speech({ blocks: [{}] })],
	['/speech', 'blocks[0].voice', voiced(LITE, 'en-US-MarinTurbo'), voiced(TURBO, 'nobody')],
	['/speech', 'model', speech({ model: 'studio/music-1' })],
	['/speech', 'settings.volume', spoken({ volume: 0.09 }), spoken({ volume: 10.01 })],
	[
		'/speech',
		'settings.speed',
		...[spoken({ speed: 0.49 }), spoken({ speed: 2.01 }), spoken({ speed: '1' })],
	],
	['/agents/runs', 'source_images', run({ source_images: images(13) })],
	['/agents/runs', 'source_images[0]', run({ source_images: ['http://example.com/a.png'] })],
	['/agents/runs', 'max_credits', run({ max_credits: 0 })],
	['/agents/runs', 'brief', run({ brief: '' })],
	['/agents/runs', 'priority', run({ priority: 'fast' })],
	[
		'/voices',
		'name',
		...[clone({ name: 'n'.repeat(81) }), clone({ name: '' }), design({ name: 'n'.repeat(81) })],
	],
	[
		'/voices',
		'preview_text',
		...[clone({ preview_text: 'p'.repeat(501) }), design({ preview_text: 'p'.repeat(501) })],
	],
	[
		'/voices',
		'audio_url',
		...[clone({ audio_url: 'http://example.com/me.wav' }), clone({ audio_url: undefined })],
	],
	['/voices', 'description', design({ description: 'd'.repeat(801) })],
	['/voices', 'kind', { kind: 'copy', name: 'x' }],
	[
		'/personas',
		'reference_images',
		...[0, 6].map((count) => upload({ reference_images: images(count) })),
	],
	['/personas', 'name', upload({ name: 'n'.repeat(81) })],
	['/personas', 'description', described({ description: 'd'.repeat(801) })],
	['/personas', 'source', { source: 'dream', name: 'x' }],
	[
		'/files',
		'filename',
		...['../../etc/passwd', 'a\\b.png', '..', '', 'a\nb'].map((filename) => file({ filename })),
	],
	[
		'/files',
		'content_type',
		...['image', 'image/png\r\nx: y'].map((content_type) => file({ content_type })),
	],
	['/files', 'size', ...[0, -1, 512 * 1024 * 1024 + 1, '5'].map((size) => file({ size }))],
	[
		'/webhooks',
		'url',
		...['http://example.com/hook', 'ftp://example.com', 'example.com', undefined].map((url) =>
			hook({ url }),
		),
	],
	['/webhooks', 'events', hook({ events: [] }), hook({ events: undefined })],
	['/webhooks', 'events[0]', hook({ events: ['generation.started'] })],
];

test.each(REFUSED)(
	'POST %s names %s where it is beyond its bounds',
	async (path, field, ...bodies) => {
		for (const sent of bodies) {
			const { status, body } = await service.post(path, sent);
			expect([status, body.error?.details.issues[0].field]).toEqual([400, field]);
		}
	},
);

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
	const { id } = (await service.post('/agents/runs', run({}))).body;
	expect((await service.post(`/agents/runs/${id}/approve`, { max_credits })).status).toBe(status);
});
