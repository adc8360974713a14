/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { launchChromium } from '../../lab/n8n/chromium';
import { saveCredential } from '../../lab/n8n/credential';
import { Editor, type Page } from '../../lab/n8n/editor';
import { LabError } from '../../lab/process/failure';
import { projectRoot, shown } from '../../lab/process/paths';
import type { Rest, SavedCredential } from '../../lab/n8n/rest';
import { startSandbox } from '../../lab/sandbox/start';
import { keyRing } from '../../lab/sandbox/admin';
import { startInstance } from '../../lab/n8n/instance';
import { readExamples, withCredential } from '../../lab/demo/examples';
import { takeExamples } from './examples';
import { takeMovie } from './movie';
import { takePanels } from './panels';
import { takeProblems } from './problems';
import { takeSandboxPage } from './sandboxPage';

const clockScale = 60;
const file = path.join(projectRoot, 'docs', 'images', 'editor.png');

/** Which node of the first example is shown, and how large the window is. */
const nodeName = 'Image';
const viewport = { width: 1440, height: 900 };

/** Opens the node in the editor, runs it there and shows the picture that it made. */
async function showResult(page: Page, url: string): Promise<void> {
	await page.goto(url);
	await page.locator(`[data-test-id="canvas-node"][data-node-name="${nodeName}"]`).dblclick();
	await page.getByTestId('node-parameters').waitFor();
	await page.getByTestId('node-execute-button').click();
	await page.getByTestId('ndv-view-binary-data').first().click({ timeout: 60_000 });
	const picture = page.getByTestId('output-panel').locator('img').last();
	// As text, because the lab is not compiled for a browser.
	await picture.evaluate('(image) => image.decode()');
	await page.locator('.el-notification__closeBtn').first().click();
	await page.locator('.el-notification').first().waitFor({ state: 'detached' });
}

async function takeResult(page: Page, rest: Rest, n8nUrl: string, credential: SavedCredential) {
	const [example] = readExamples();
	if (!example) throw new Error('No example was found');
	const { id } = await rest.workflows.create(withCredential(example, credential));
	await page.setViewportSize(viewport);
	await showResult(page, `${n8nUrl}/workflow/${id}`);
	mkdirSync(path.dirname(file), { recursive: true });
	await page.screenshot({ path: file });
	return [file];
}

/** Takes all pictures, or those that the command line names, such as `movie`. */
async function main(wanted = process.argv.slice(2)): Promise<void> {
	const sandbox = await startSandbox({ clockScale });
	const { n8n, rest } = await startInstance({ log: console.log });
	const browser = await launchChromium();
	try {
		const access = { apiKey: keyRing(sandbox).full.key, baseUrl: sandbox.baseUrl, clockScale };
		const credential = await saveCredential(rest, 'MediaGen account', access);
		const page = await browser.newPage({ viewport });
		const { baseUrl } = n8n;
		await new Editor(page, baseUrl).signIn();
		const session = { page, rest, baseUrl, credential };
		// The problems come last: one of them takes all credits away.
		const pictures: Record<string, () => Promise<string[]>> = {
			movie: async () => [await takeMovie(session)],
			result: async () => await takeResult(page, rest, baseUrl, credential),
			panels: async () => await takePanels(session),
			examples: async () => await takeExamples(session),
			page: async () => [await takeSandboxPage(browser)],
			problems: async () => await takeProblems({ ...session, sandbox }),
		};
		for (const [name, take] of Object.entries(pictures)) {
			if (wanted.length > 0 && !wanted.includes(name)) continue;
			for (const written of await take()) console.log(`Written: ${shown(written)}`);
		}
	} finally {
		await browser.close();
		await n8n.stop();
		await sandbox.stop();
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof LabError ? error.message : error);
	process.exit(1);
});
