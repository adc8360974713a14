/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import { saveCredential } from '../../lab/n8n/credential';
import { nodeName, workflowOf } from '../../lab/n8n/nodeWorkflow';
import type { Rest } from '../../lab/n8n/rest';
import { finalStatuses } from '../../lab/n8n/rest';
import { projectRoot } from '../../lab/process/paths';
import { keyRing, SandboxAdmin } from '../../lab/sandbox/admin';
import type { Sandbox } from '../../lab/sandbox/start';
import type { EditorSession } from './editorSession';

const folder = path.join(projectRoot, 'docs', 'images');
const viewport = { width: 1280, height: 720 };
const clockScale = 60;

interface Problem {
	/** Name of the picture. */
	name: string;
	key: string;
	prompt: string;
	parameters?: INodeParameters;
	/** Whether the workspace has no credits. */
	isBroke?: boolean;
}

/** Takes a picture of the editor for each problem that people meet first. */
export async function takeProblems({
	page,
	rest,
	sandbox,
	baseUrl,
}: EditorSession & { sandbox: Sandbox }): Promise<string[]> {
	const { full, readOnly } = keyRing(sandbox);
	const admin = new SandboxAdmin(sandbox.adminUrl);
	const prompt = 'A lighthouse at dawn';
	const problems: Problem[] = [
		{ name: 'wrong-key', key: 'not-a-key', prompt },
		{ name: 'missing-scope', key: readOnly.key, prompt },
		{ name: 'job-failed', key: full.key, prompt: `${prompt} [fail]` },
		{ name: 'job-partial', key: full.key, prompt: `${prompt} [partial]`, parameters: { count: 3 } },
		{ name: 'no-credits', key: full.key, prompt, isBroke: true },
	];
	await page.setViewportSize(viewport);
	const written: string[] = [];
	for (const { name, key, prompt: asked, parameters = {}, isBroke } of problems) {
		if (isBroke) await admin.addCredits(full.workspace, -1_000_000);
		const access = { apiKey: key, baseUrl: sandbox.baseUrl, clockScale };
		const credential = await saveCredential(rest, `MediaGen ${name}`, access);
		const run = {
			type: 'n8n-nodes-mediagen.mediaGen',
			credential,
			parameters: {
				operation: 'generateImage',
				model: { __rl: true, mode: 'id', value: 'studio/image-1' },
				prompt: asked,
				parameters,
			} as INodeParameters,
		};
		const { id } = await rest.workflows.create(workflowOf(run));
		await page.goto(`${baseUrl}/workflow/${id}`);
		await page.locator(`[data-test-id="canvas-node"][data-node-name="${nodeName}"]`).dblclick();
		await page.getByTestId('node-parameters').waitFor();
		await page.getByTestId('node-execute-button').click();
		await untilEnded(rest, id);
		// The editor draws a moment after the execution has ended.
		await sleep(2_000);
		const notification = page.locator('.el-notification__closeBtn').first();
		if (await notification.isVisible()) await notification.click();
		// It fades away.
		await page.locator('.el-notification').first().waitFor({ state: 'detached' });
		const file = path.join(folder, `${name}.png`);
		await page.screenshot({ path: file });
		written.push(file);
	}
	return written;
}

async function untilEnded(rest: Rest, workflow: string): Promise<void> {
	for (let tries = 0; tries < 300; tries += 1) {
		const [execution] = await rest.executions.list(workflow);
		if (execution && finalStatuses.includes(execution.status)) return;
		await sleep(200);
	}
	throw new Error(`Workflow ${workflow} has not ended`);
}
