/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdir } from 'fs/promises';
import { join } from 'path';

import { launchChromium } from '../../lab/n8n/chromium';
import type { createSandbox } from '../../src/sandbox/server';
import { anImage, startHarness, type Harness } from '../sandbox/support/harness';
import { receiverCa, startReceiver, type Receiver } from '../sandbox/support/receiver';

// Read in the page, where there is a document.
const PICTURE_SHOWN = "document.querySelector('#jobs img')?.naturalWidth > 0";
const VIDEO_SHOWN = "document.querySelector('#jobs video')?.readyState >= 2";

let service: Harness;
let receiver: Receiver;
// The lab's own playwright may be another version than ours, so the types are those of what it gives.
let browser: Awaited<ReturnType<typeof launchChromium>>;
let page: Awaited<ReturnType<(typeof browser)['newPage']>>;

beforeAll(async () => {
	receiver = await startReceiver();
	browser = await launchChromium();
}, 60_000);

beforeEach(async () => {
	// The media are real here, because the page plays them.
	service = await startHarness({ deliveryCa: receiverCa, render: realRender });
	page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
});

afterEach(async () => {
	await page.close();
	expect(service.reported).toEqual([]);
	await service.close();
});

afterAll(async () => {
	await browser.close();
	await receiver.close();
});

const realRender: NonNullable<Parameters<typeof createSandbox>[0]>['render'] = async (request) =>
	await (await import('../../src/sandbox/media')).render(request);

const open = async () => {
	const faults: string[] = [];
	page.on('pageerror', (error) => faults.push(error.message));
	await page.goto(service.sandbox.baseUrl.replace('/v1', '/'));
	await page.waitForSelector('#state.good');
	return faults;
};

const settle = async (seconds: number) => {
	service.pass(seconds);
	await service.sandbox.service.dispatcher.idle();
};

test('shows balance, jobs with previews, requests, deliveries and faults, live', async () => {
	const faults = await open();
	const body = { url: receiver.url, events: ['generation.completed', 'generation.failed'] };
	await service.post('/webhooks', body);
	const { id } = (await service.post('/generations', anImage())).body;
	await page.waitForSelector(`[data-id="${id}"] .busy`);
	await settle(60);
	await page.waitForFunction(PICTURE_SHOWN);
	await service.admin('PUT', '/faults', { rules: [{ kind: 'storm', times: 1 }] });
	await service.get('/credits');
	await page.waitForSelector('#faults li');
	expect(await page.textContent('#faults')).toContain('struck 1 of 1');
	expect(await page.textContent('#workspaces')).toContain('9,998');
	expect(await page.textContent('#requests')).toContain('429 storm');
	expect(await page.textContent('#deliveries')).toContain('generation.completed');
	await page.click('#faults-off');
	await page.waitForFunction("document.querySelectorAll('#faults li').length === 0");
	expect(faults).toEqual([]);
}, 60_000);

test('shows what a client sent as text, never as markup', async () => {
	await service.post('/generations', anImage({ prompt: '<img src=x onerror="window.hacked=1">' }));
	await open();
	await page.waitForSelector('.job p');
	expect(await page.textContent('.job p')).toContain('<img src=x');
	expect(await page.evaluate("'hacked' in window")).toBe(false);
}, 60_000);

test('its picture in the docs can be taken anew', async () => {
	const pictures = join(__dirname, '..', '..', 'docs', 'images');
	await service.post('/webhooks', { url: receiver.url, events: ['generation.completed'] });
	const audio = { mode: 'audio', model: 'studio/music-1', parameters: { duration: '6' } };
	await service.post('/generations', anImage({ prompt: 'a fox in the snow' }));
	await service.post('/generations', { ...audio, prompt: 'a quiet piano' });
	await service.post('/generations', {
		mode: 'video',
		model: 'studio/video-1',
		prompt: 'waves at dusk',
		parameters: { duration: '2' },
	});
	await settle(100);
	await service.post('/generations', anImage({ prompt: 'an owl with [partial] glasses' }));
	await service.post('/generations', anImage({ prompt: 'a lighthouse in a storm' }));
	await service.get('/credits', { key: service.keys.other });
	await service.admin('PUT', '/faults', {
		rules: [{ kind: 'slow', probability: 0.1, seconds: 2 }],
	});
	await open();
	await page.waitForFunction(`${PICTURE_SHOWN} && ${VIDEO_SHOWN}`);
	await mkdir(pictures, { recursive: true });
	const path = process.env.UPDATE_PICTURES ? join(pictures, 'sandbox-page.png') : undefined;
	expect((await page.screenshot({ path, fullPage: true })).length).toBeGreaterThan(20_000);
}, 120_000);
