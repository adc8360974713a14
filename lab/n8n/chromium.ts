/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { statSync } from 'node:fs';
import path from 'node:path';
import { chromium, selectors, type Browser } from 'playwright-core';
import { LabError } from '../process/failure';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * A headless Chromium of the system's that reaches nothing but this machine. `CHROMIUM_PATH` names
 * another one.
 *
 * @throws LabError when there is none
 */
export async function launchChromium(): Promise<Browser> {
	const executablePath = process.env.CHROMIUM_PATH ?? names.map(onPath).find(Boolean);
	if (!executablePath || !isFile(executablePath)) {
		throw new LabError('Chromium is missing: apt-get install chromium, or set CHROMIUM_PATH');
	}
	selectors.setTestIdAttribute('data-test-id');
	return await chromium.launch({
		executablePath,
		args: [
			// It may run as root in a container, and shows only pages of our own n8n.
			'--no-sandbox',
			'--disable-gpu',
			'--disable-dev-shm-usage',
			'--disable-background-networking',
			'--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost',
		],
	});
}

function onPath(name: string): string | undefined {
	const folders = (process.env.PATH ?? '').split(path.delimiter);
	return folders.map((folder) => path.join(folder, name)).find(isFile);
}

const isFile = (file: string): boolean =>
	statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
