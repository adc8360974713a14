/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- not published */
import { ensureLab } from '../lab/n8n/install';
import { newest, releaseNamed } from '../lab/n8n/release';

/**
 * Installs what the lab runs nodes in, ahead of the tests that need it: `tsx scripts/installLab.ts
 * [2.41 1.123 …]`, the newest n8n without a name.
 */
async function main(names: string[]): Promise<void> {
	const asked = names.length > 0 ? names.map(releaseNamed) : [newest];
	for (const release of asked) await ensureLab(console.log, release);
}

main(process.argv.slice(2)).catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
