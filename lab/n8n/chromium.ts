/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync } from 'node:fs';
import { chromium, selectors, type Browser } from 'playwright-core';
import { LabError } from '../process/failure';
import { findProgram } from '../process/process';

/**
 * A headless Chromium of the system's that reaches nothing but this machine. `CHROMIUM_PATH` names
 * another one.
 *
 * @throws LabError when there is none
 */
export async function launchChromium(): Promise<Browser> {
	const { CHROMIUM_PATH } = process.env;
	const executablePath =
		CHROMIUM_PATH ?? findProgram('chromium', 'chromium-browser', 'google-chrome');
	if (!executablePath || !existsSync(executablePath)) {
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
