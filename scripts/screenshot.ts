/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { launchChromium } from '../lab/n8n/chromium';
import { saveCredential } from '../lab/n8n/credential';
import { Editor, type Page } from '../lab/n8n/editor';
import { LabError } from '../lab/process/failure';
import { projectRoot, shown } from '../lab/process/paths';
import type { Rest } from '../lab/n8n/rest';
import { startSandbox } from '../lab/sandbox/start';
import { keyRing } from '../lab/sandbox/admin';
import { setStage } from '../lab/n8n/stage';
import { readExamples, withCredential } from '../lab/demo/examples';

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

async function exampleIn(rest: Rest, baseUrl: string, { key }: { key: string }) {
	const access = { apiKey: key, baseUrl, clockScale };
	const credential = await saveCredential(rest, 'MediaGen account', access);
	const [example] = readExamples();
	if (!example) throw new Error('No example was found');
	return await rest.workflows.create(withCredential(example, credential));
}

async function main(): Promise<void> {
	const sandbox = await startSandbox({ clockScale });
	const { n8n, rest } = await setStage({ tell: console.log });
	const browser = await launchChromium();
	try {
		const workflow = await exampleIn(rest, sandbox.baseUrl, keyRing(sandbox).full);
		const page = await browser.newPage({ viewport });
		await new Editor(page, n8n.baseUrl).signIn();
		await showResult(page, `${n8n.baseUrl}/workflow/${workflow.id}`);
		mkdirSync(path.dirname(file), { recursive: true });
		await page.screenshot({ path: file });
		console.log(`Written: ${shown(file)}`);
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
