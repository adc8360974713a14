/* eslint-disable @n8n/community-nodes/require-node-api-error -- not published */
import type { INode, INodeParameters } from 'n8n-workflow';
import { launchChromium } from '../../../lab/n8n/chromium';
import { Editor, type Page } from '../../../lab/n8n/editor';
import { credentials, n8nUrl, rest } from './harness';

/** How long one step in the editor may take: a busy machine takes its time. */
export const STEP_MS = 60_000;

/** How long it may take until Chromium is up and the owner is signed in. */
export const OPEN_MS = 4 * STEP_MS;

/** n8n's editor in a Chromium of its own, as the owner sees it. */
export interface OpenEditor {
	editor: Editor;
	page: Page;
	close: () => Promise<void>;
}

/** Opens the editor of the real n8n; whoever opens it closes it. */
export async function openEditor(
	options: { height?: number; userAgent?: string } = {},
): Promise<OpenEditor> {
	const { height = 900, userAgent } = options;
	const browser = await launchChromium();
	const close = async () => await browser.close();
	try {
		const page = await browser.newPage({ viewport: { width: 1440, height }, userAgent });
		page.setDefaultTimeout(STEP_MS);
		const editor = new Editor(page, n8nUrl);
		await editor.signIn(rest.session.ticket);
		return { editor, page, close };
	} catch (error) {
		await close();
		throw error;
	}
}

/** A node in a row of its own on the canvas, with the credential that may do everything. */
export const nodeInRow = (
	row: number,
	name: string,
	type: string,
	parameters: INodeParameters,
): INode => ({
	id: name,
	name,
	type,
	typeVersion: 1,
	position: [300, row * 200],
	parameters,
	credentials: { mediaGenApi: credentials.full },
});
