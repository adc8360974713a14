/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import path from 'node:path';
import type { launchChromium } from '../../lab/n8n/chromium';
import { projectRoot } from '../../lab/process/paths';
import { keyRing, SandboxAdmin } from '../../lab/sandbox/admin';
import { startSandbox } from '../../lab/sandbox/start';

const file = path.join(projectRoot, 'docs', 'images', 'sandbox-page.png');
/** The picture ends below what failed; the forms and tables further down are as tall again. */
const viewport = { width: 1280, height: 1800 };

const JOBS = [
	{ mode: 'image', model: 'studio/image-1', prompt: 'A fox in the snow' },
	{
		mode: 'audio',
		model: 'studio/music-1',
		prompt: 'A quiet piano',
		parameters: { duration: '6' },
	},
	{
		mode: 'video',
		model: 'studio/video-1',
		prompt: 'Waves at dusk',
		parameters: { duration: '2' },
	},
	{ mode: 'image', model: 'studio/image-1', prompt: 'A lighthouse in a storm [fail]' },
];

/** Takes a picture of a sandbox's page with something in all of its lists. */
export async function takeSandboxPage(
	browser: Awaited<ReturnType<typeof launchChromium>>,
): Promise<string> {
	const sandbox = await startSandbox({ clockScale: 60 });
	const page = await browser.newPage({ viewport });
	try {
		const { full, notEntitled } = keyRing(sandbox);
		const call = async (key: string, where: string, body?: object) => {
			const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
			const method = body ? 'POST' : 'GET';
			await fetch(sandbox.baseUrl + where, { method, headers, body: JSON.stringify(body) });
		};
		for (const job of JOBS) await call(full.key, '/generations', job);
		await call(notEntitled.key, '/credits');
		await page.goto(new URL('/', sandbox.baseUrl).href);
		// Read in the page, where there is a document.
		await page.waitForFunction("document.querySelector('#made video')?.readyState >= 2");
		await page.waitForFunction("document.querySelector('#made img')?.naturalWidth > 0");
		await page.waitForSelector('#failed .bad');
		const admin = new SandboxAdmin(sandbox.adminUrl);
		await admin.settings({ clockScale: 1 });
		await admin.setFaults([{ kind: 'slow', probability: 0.1, seconds: 2 }]);
		await call(full.key, '/generations', { ...JOBS[0], prompt: 'An owl with glasses' });
		await page.waitForSelector('#running article');
		await page.waitForSelector('#faults li');
		const last = await page.locator('section', { has: page.locator('#failed') }).boundingBox();
		const height = last ? last.y + last.height + 16 : viewport.height;
		await page.screenshot({ path: file, clip: { x: 0, y: 0, width: viewport.width, height } });
	} finally {
		await page.close();
		await sandbox.stop();
	}
	return file;
}
