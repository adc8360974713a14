/* eslint-disable @n8n/community-nodes/require-node-api-error -- not published */
import { launchChromium } from '../../../lab/n8n/chromium';
import { Editor, type Page } from '../../../lab/n8n/editor';
import { n8nUrl, rest } from './harness';

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
		// With the session that there is: the page to sign in would take a processor ten seconds.
		const { browserId, cookie } = rest.session.ticket;
		const [name = '', value = ''] = cookie.split('=');
		await page.context().addCookies([{ name, value, url: n8nUrl }]);
		await page.addInitScript(`localStorage.setItem('n8n-browserId', '${browserId}')`);
		return { editor: new Editor(page, n8nUrl), page, close };
	} catch (error) {
		await close();
		throw error;
	}
}
