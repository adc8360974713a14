/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { Editor } from '../../lab/n8n/editor';
import { projectRoot } from '../../lab/process/paths';
import type { EditorSession } from './editorSession';

const file = path.join(projectRoot, 'docs', 'images', 'first-picture.gif');
const viewport = { width: 1200, height: 720 };

/** As wide as GitHub shows a README, so that the letters stay sharp. */
const width = 1000;

const prompt = 'A lighthouse at dawn, oil on canvas';

interface Frame {
	png: Buffer;
	/** How long it is shown, in milliseconds. */
	delay: number;
}

/**
 * Films how the first picture is made: the node is chosen, then the model, then it runs and the
 * picture appears.
 */
export async function takeMovie({ page, baseUrl, credential }: EditorSession): Promise<string> {
	await page.setViewportSize(viewport);
	const editor = new Editor(page, baseUrl);
	const frames: Frame[] = [];
	const show = async (delay: number) => {
		frames.push({ png: await page.screenshot(), delay });
	};
	await editor.newWorkflow();
	await editor.addManualTrigger();
	await settled();
	await show(900);

	await editor.openPanel();
	for (const typed of ['med', 'mediag', 'mediagen']) {
		await page.getByTestId('node-creator-search-bar').fill(typed);
		await settled();
		await show(350);
	}
	await editor.offered.filter({ hasText: /^\s*MediaGen\s*$/ }).click();
	await settled();
	await show(1_300);
	await editor.offered.filter({ hasText: /^\s*Generate an image\s*$/ }).click();
	await page.getByTestId('node-parameters').waitFor();
	await editor.useCredential(credential.name);
	await settled();
	await show(1_000);

	await editor.listed('model');
	await settled();
	await show(1_500);
	await editor.choose(/^Studio Image 1/);
	await settled();
	await show(600);
	const field = page.getByTestId('node-parameters').getByTestId('parameter-input-prompt');
	for (const word of prompt.split(/(?<= )/)) {
		await field.locator('textarea').pressSequentially(word);
		await show(250);
	}
	// Leaving the field is what makes n8n take all of it.
	await field.locator('textarea').blur();
	await settled();
	await show(500);

	await page.getByTestId('node-execute-button').click();
	const picture = page.getByTestId('output-panel').getByTestId('ndv-view-binary-data').first();
	for (let shots = 0; shots < 4 && !(await picture.isVisible()); shots += 1) {
		await show(400);
		await sleep(500);
	}
	await picture.click({ timeout: 60_000 });
	const image = page.getByTestId('output-panel').locator('img').last();
	// As text, because the lab is not compiled for a browser.
	await image.evaluate('(image) => image.decode()');
	const notification = page.locator('.el-notification__closeBtn').first();
	if (await notification.isVisible()) await notification.click();
	await settled();
	await show(4_000);
	await write(frames);
	return file;
}

/** The editor moves what it opens; a frame in the middle of that looks like a fault. */
const settled = async () => await sleep(700);

async function write(frames: Frame[]): Promise<void> {
	const small = await Promise.all(
		frames.map(async ({ png }) => await sharp(png).resize({ width }).png().toBuffer()),
	);
	await sharp(small, { join: { animated: true } })
		.gif({
			delay: frames.map(({ delay }) => delay),
			loop: 0,
			colours: 128,
			dither: 0.4,
			effort: 10,
		})
		.toFile(file);
}
