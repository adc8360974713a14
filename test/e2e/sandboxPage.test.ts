import { source } from 'axe-core';
import { launchChromium } from '../../lab/n8n/chromium';
import type { createSandbox } from '../../sandbox/server';
import { anImage, startHarness, type Harness } from '../sandbox/support/harness';
import { receiverCa, startReceiver, type Receiver } from '../sandbox/support/receiver';

// Read in the page, where there is a document.
const PICTURE_SHOWN = "document.querySelector('#made img')?.naturalWidth > 0";
const VIDEO_SHOWN = "document.querySelector('#made video')?.readyState >= 2";

/** A rule of axe and the elements that break it, or of which axe cannot decide. */
interface Finding {
	id: string;
	nodes: Array<{ html: string; failureSummary?: string }>;
}

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };

let service: Harness;
let receiver: Receiver;
// The lab's own playwright may be another version than ours, so the types are those of what it
// gives.
let browser: Awaited<ReturnType<typeof launchChromium>>;
let page: Awaited<ReturnType<(typeof browser)['newPage']>>;
let faults: string[];

beforeAll(async () => {
	receiver = await startReceiver();
	browser = await launchChromium();
}, 60_000);

beforeEach(async () => {
	// The media are real here, because the page plays them.
	service = await startHarness({ deliveryCa: receiverCa, render: realRender });
	page = await browser.newPage({
		viewport: WIDE,
		permissions: ['clipboard-read', 'clipboard-write'],
	});
	faults = [];
	page.on('pageerror', (error) => faults.push(error.message));
});

afterEach(async () => {
	await page.close();
	expect(faults).toEqual([]);
	expect(service.reported).toEqual([]);
	await service.close();
});

afterAll(async () => {
	await browser.close();
	await receiver.close();
});

const realRender: NonNullable<Parameters<typeof createSandbox>[0]>['render'] = async (request) =>
	await (await import('../../sandbox/media')).render(request);

const open = async () => {
	await page.goto(service.sandbox.baseUrl.replace('/v1', '/'));
	await page.waitForSelector('#state.good');
};

const settle = async (seconds: number) => {
	service.pass(seconds);
	await service.sandbox.service.dispatcher.idle();
};

const total = async () => (await service.admin('GET', '/overview')).body.totals.requests as number;

/**
 * Something in every list: jobs of each kind that run, ended well, in part and not at all,
 * requests, deliveries, faults.
 */
async function everything(): Promise<void> {
	await service.post('/webhooks', { url: receiver.url, events: ['generation.completed'] });
	const audio = { mode: 'audio', model: 'studio/music-1', parameters: { duration: '6' } };
	const video = { mode: 'video', model: 'studio/video-1', parameters: { duration: '2' } };
	await service.post('/generations', anImage({ parameters: { count: 2 } }));
	await service.post('/generations', { ...audio, prompt: 'a quiet piano' });
	await service.post('/generations', { ...video, prompt: 'waves at dusk' });
	await service.post(
		'/generations',
		anImage({ prompt: 'an owl [partial]', parameters: { count: 2 } }),
	);
	await service.post('/generations', anImage({ prompt: 'a lighthouse [fail]' }));
	await settle(100);
	await service.post('/generations', anImage({ prompt: 'a house in the wind' }));
	await service.post('/agents/runs', { brief: 'a short film' });
	await service.get('/credits', { key: service.keys.unentitled });
	await service.admin('PUT', '/faults', { rules: [{ kind: 'slow', probability: 0.5 }] });
}

test('shows balance, jobs with previews, requests, deliveries and faults, live, and what a client sent as text, never as markup', async () => {
	await open();
	const body = { url: receiver.url, events: ['generation.completed', 'generation.failed'] };
	await service.post('/webhooks', body);
	const prompt = '<img src=x onerror="window.hacked=1">';
	const { id } = (await service.post('/generations', anImage({ prompt }))).body;
	await page.waitForSelector(`#running [data-id="${id}"] .busy`);
	expect(await page.textContent('#workspaces')).toContain('1 of 5 jobs running');
	await settle(60);
	await page.waitForFunction(PICTURE_SHOWN);
	expect(await page.textContent('article p')).toContain('<img src=x');
	expect(await page.evaluate("'hacked' in window")).toBe(false);
	await service.admin('PUT', '/faults', { rules: [{ kind: 'storm', times: 1 }] });
	await service.get('/credits');
	await page.waitForSelector('#faults li:has-text("1 of 1 times")');
	expect(await page.textContent('#workspaces')).toContain('9,998');
	expect(await page.textContent('#requests')).toContain(
		'429 Refuse: too many requests (429)Too many requests.',
	);
	expect(await page.textContent('#deliveries')).toContain('generation.completed');
	await page.click('#faults button');
	await page.waitForFunction("document.querySelectorAll('#faults li').length === 0");

	await service.post('/generations', anImage({ prompt: 'a lighthouse [fail]' }));
	await settle(60);
	await page.waitForSelector('#failed .bad');
	expect(await page.textContent('#failed')).toContain('The model could not make this output.');
	await page.check('#only-errors');
	await page.waitForFunction("document.querySelectorAll('#requests tr').length === 1");

	const clipboard = async () => await page.evaluate('navigator.clipboard.readText()');
	await page.click('text=Copy >> nth=0');
	expect(await clipboard()).toBe(service.sandbox.baseUrl);
	await page.getByRole('button', { name: `Copy the key ${service.keys.read}` }).click();
	expect(await clipboard()).toBe(service.keys.read);
	expect(await page.textContent('#said')).toContain('Copied');
}, 60_000);

test('its own requests, pictures included, are not traffic and meet no fault', async () => {
	await service.post('/generations', anImage({ delivery: 'signed_url' }));
	await settle(60);
	await service.admin('PUT', '/faults', { rules: [{ kind: 'expired_link' }] });
	const before = await total();
	await open();
	await page.waitForFunction(PICTURE_SHOWN);
	await page.evaluate("fetch('/favicon.ico')");
	expect(await total()).toBe(before);
	expect((await service.admin('GET', '/faults')).body.rules).toMatchObject([{ seen: 0 }]);
}, 60_000);

test('faults and settings are switched on and off by keyboard, and the focus stays', async () => {
	await open();
	await page.focus('#setting-concurrentJobs');
	await page.keyboard.press('Control+A');
	await page.keyboard.type('2');
	await page.keyboard.press('Tab');
	await page.waitForFunction(
		"document.querySelector('#workspaces').textContent.includes('of 2 jobs')",
	);
	expect((await service.admin('GET', '/settings')).body).toMatchObject({ concurrentJobs: 2 });
	await page.fill('#setting-concurrentJobs', '0');
	await page.keyboard.press('Enter');
	await page.waitForSelector('#said.bad');
	expect((await service.admin('GET', '/settings')).body).toMatchObject({ concurrentJobs: 2 });

	await page.focus('#fault-kind');
	await page.keyboard.type('Refuse: too many');
	await page.selectOption('#fault-at', { label: 'create generation' });
	await page.fill('#fault-times', '3');
	await page.keyboard.press('Enter');
	await page.waitForSelector('#faults li');
	const storm = { kind: 'storm', operations: ['createGeneration'], times: 3 };
	expect((await service.admin('GET', '/faults')).body.rules).toMatchObject([storm]);
	await page.focus('#faults button');
	// Its row is redrawn under it.
	await service.post('/generations', anImage());
	await page.waitForFunction("document.querySelector('#faults').textContent.includes('1 of 3')");
	await page.keyboard.press('Enter');
	await page.waitForFunction("document.querySelectorAll('#faults li').length === 0");
	expect(await page.evaluate('document.activeElement.id')).toBe('fault-rules');
}, 60_000);

test('totals are of all jobs, a search finds the oldest, and a job leads to its requests and its execution', async () => {
	await service.admin('PATCH', '/settings', { concurrentJobs: 100 });
	const execution = 'http://127.0.0.1:5678/workflow/abc/executions/12';
	const headers = { 'x-n8n-execution': execution };
	const first = (await service.post('/generations', anImage({ prompt: 'a heron' }), { headers }))
		.body.id;
	for (let index = 0; index < 44; index += 1) await service.post('/generations', anImage());
	await open();
	expect(await page.textContent('#totals')).toContain('Jobs4545 not ended');
	expect(await page.textContent('#totals')).toContain('90 reserved');
	expect(await page.textContent('#running-count')).toBe('45 (the newest 40)');
	expect(await page.locator('#running article').count()).toBe(40);
	// What failed lies above forty pictures, not below.
	const lists = await page.locator('section:has(#jobs) h3').allTextContents();
	expect(lists.map((title) => title.split(' ')[0])).toEqual(['Running', 'Failed', 'Made']);

	await page.getByLabel('Search jobs, requests and deliveries').fill('heron');
	await page.waitForFunction("document.querySelectorAll('#running article').length === 1");
	expect(await page.textContent('#running-count')).toBe('1');
	const link = page.locator('#running').getByRole('link', { name: 'execution 12' });
	expect(await link.getAttribute('href')).toBe(execution);
	await page.getByRole('button', { name: `Show the requests about ${first}` }).click();
	await page.waitForFunction("document.querySelectorAll('#requests tr').length === 1");
	expect(await page.textContent('#requests')).toContain('POST /v1/generations');
	expect(await page.inputValue('#search')).toBe(first);
}, 60_000);

test('a fault takes two clicks, and how fast time passes one choice', async () => {
	await open();
	const scene = (name: string) => page.locator('#scenes').getByRole('button', { name });
	const pressed = async (name: string, is: boolean) =>
		await page.waitForSelector(`#scenes [aria-pressed="${is}"][aria-label^="${name}"]`);
	const rules = async () => (await service.admin('GET', '/faults')).body.rules;
	await scene('Outage').click();
	await pressed('Outage', true);
	await scene('Slow jobs').click();
	await pressed('Slow jobs', true);
	expect((await rules()).map(({ kind }: { kind: string }) => kind)).toEqual([
		'status_before',
		'storage_status',
		'job_slow',
	]);
	await scene('Outage').click();
	await pressed('Outage', false);
	expect(await rules()).toMatchObject([{ kind: 'job_slow', name: 'Slow jobs' }]);

	// One that has struck as often as it may is off again.
	await scene('Lost answer').click();
	await pressed('Lost answer', true);
	await expect(service.post('/generations', anImage())).rejects.toThrow();
	await pressed('Lost answer', false);
	await scene('Lost answer').click();
	await pressed('Lost answer', true);

	await page
		.getByRole('combobox', { name: 'Time passes' })
		.selectOption({ label: '60 times as fast' });
	await page.waitForSelector('#said:has-text("how fast time passes")');
	expect((await service.admin('GET', '/settings')).body).toMatchObject({ clockScale: 60 });
}, 60_000);

test('the first Tab leads past the top of the page', async () => {
	await open();
	await page.keyboard.press('Tab');
	expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the jobs');
	const top = await page.evaluate<number>('document.activeElement.getBoundingClientRect().top');
	expect(top).toBeGreaterThanOrEqual(0);
	await page.keyboard.press('Enter');
	expect(await page.evaluate('document.activeElement.id')).toBe('jobs');
	await page.keyboard.press('Tab');
	expect(await page.evaluate('document.activeElement.id')).toBe('search');
}, 60_000);

describe('for everybody', () => {
	const axe = async () => {
		const { violations, incomplete } = await page.evaluate<
			Record<'violations' | 'incomplete', Finding[]>
		>(
			// Without waiting for media that are loaded only when somebody plays them.
			"axe.run({ preload: false, resultTypes: ['violations', 'incomplete'] })",
		);
		const unclear = incomplete.filter(({ id }) => id === 'color-contrast');
		return [...violations, ...unclear].map(({ id, nodes }) => [
			id,
			nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`),
		]);
	};
	const views = (['light', 'dark'] as const).flatMap((colorScheme) =>
		[WIDE, NARROW].map((viewport) => ({ colorScheme, viewport, width: viewport.width })),
	);
	/** What the keyboard must reach, and what of it has been reached. */
	const reachable = `[...document.querySelectorAll('a[href], button, input, select, summary, audio, video, [tabindex="0"]')]
		.filter((each) => each.checkVisibility() && !each.disabled)`;

	test('axe finds nothing and nothing sticks out, empty, and full in four views', async () => {
		await open();
		await page.addScriptTag({ content: source });
		const look = async (state: string, some = views) => {
			for (const { colorScheme, viewport, width } of some) {
				await page.emulateMedia({ colorScheme });
				await page.setViewportSize(viewport);
				const tooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
				expect([state, colorScheme, width, await axe(), tooWide]).toEqual([
					state,
					colorScheme,
					width,
					[],
					false,
				]);
			}
		};
		await look('empty', views.slice(0, 1));
		await everything();
		await page.waitForFunction(`${PICTURE_SHOWN} && ${VIDEO_SHOWN}`);
		await page.waitForSelector('#faults li');
		await page.fill('#setting-concurrentJobs', '0');
		await page.keyboard.press('Enter');
		await page.waitForSelector('#said.bad');
		// What it says lies over the page, where axe cannot tell what is behind letters; it goes by itself.
		await page.waitForSelector('#said:empty', { state: 'attached' });
		await look('full');
	}, 90_000);

	test('every control is reached by Tab and shows it, wide and narrow', async () => {
		await everything();
		await open();
		await page.waitForSelector('#faults li');
		await page.waitForSelector('#made audio');
		const wanted = await page.evaluate<number>(`(window.wanted = ${reachable}).length`);
		for (const viewport of [WIDE, NARROW]) {
			await page.setViewportSize(viewport);
			const seen = new Set<number>();
			let last = -1;
			// A player has several controls inside, so there are more steps than elements.
			for (let step = 0; step < wanted * 4 && seen.size < wanted; step += 1) {
				await page.keyboard.press('Tab');
				const [at, outline] = await page.evaluate<[number, string]>(
					'[wanted.indexOf(document.activeElement), getComputedStyle(document.activeElement).outlineStyle]',
				);
				if (at < 0) continue;
				// In the order of the page, and never back: no trap.
				expect(at).toBeGreaterThanOrEqual(last);
				last = at;
				seen.add(at);
				expect([at, outline]).toEqual([at, 'solid']);
			}
			expect([viewport.width, seen.size]).toEqual([viewport.width, wanted]);
			// To the start again.
			await page.evaluate(
				'document.activeElement.blur(), getSelection().collapse(document.body, 0)',
			);
		}
	}, 60_000);
});
