/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { launchChromium } from '../../../lab/n8n/chromium';
import { LabError } from '../../../lab/process/failure';

const { PATH, CHROMIUM_PATH } = process.env;
afterEach(() => {
	process.env.PATH = PATH;
	if (CHROMIUM_PATH === undefined) delete process.env.CHROMIUM_PATH;
	else process.env.CHROMIUM_PATH = CHROMIUM_PATH;
});

test.each([
	['nowhere on the path', { PATH: '/usr/lib', CHROMIUM_PATH: undefined }],
	['not where it was said to be', { PATH, CHROMIUM_PATH: '/nowhere/chromium' }],
])('a Chromium that is %s is reported with what to do', async (_where, env) => {
	delete process.env.CHROMIUM_PATH;
	for (const [name, value] of Object.entries(env)) if (value) process.env[name] = value;
	const missing = launchChromium();
	await expect(missing).rejects.toThrow(LabError);
	await expect(missing).rejects.toThrow('apt-get install chromium, or set CHROMIUM_PATH');
});
