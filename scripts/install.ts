/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import path from 'node:path';
import { ensureLab, ensurePackages } from '../lab/n8n/install';
import { releaseNamed } from '../lab/n8n/release';
import { ensureTemplate } from '../lab/n8n/template';

async function installRelease(name: string): Promise<void> {
	const release = releaseNamed(name);
	await ensureLab(console.log, release);
	await ensureTemplate(release);
}

/**
 * Makes ahead what tests need besides `npm ci`: releases of n8n by their names, each with the empty database
 * that tests begin with, and what the lockfile in a folder says. `tsx scripts/install.ts 2.41 test/judges
 * scripts/site`
 */
async function main(wanted: string[]): Promise<void> {
	for (const one of wanted) {
		const install = async () =>
			/^\d/.test(one) ? await installRelease(one) : await ensurePackages(path.resolve(one));
		// What fails does not keep the others from being installed.
		await install().catch((error: unknown) => {
			console.error(error);
			process.exitCode = 1;
		});
	}
}

void main(process.argv.slice(2));
