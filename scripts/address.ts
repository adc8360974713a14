/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import execa from 'execa';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../lab/process/paths';
import manifest from '../package.json';

const usage =
	'npm run address -- --repository https://github.com/OWNER/n8n-nodes-mediagen \\\n' +
	'  --homepage https://OWNER.github.io/n8n-nodes-mediagen --email MAINTAINER@HOST';

/**
 * Gives the project its addresses: package.json is where they stand, and all other files that name
 * them (README, SECURITY, the templates of GitHub) are brought into line with it. A test compares them.
 */
function main(): void {
	const option = { type: 'string' } as const;
	const { values } = parseArgs({
		options: { repository: option, homepage: option, email: option },
	});
	const { repository, homepage, email } = values;
	if (!repository || !homepage || !email) {
		console.error(usage);
		process.exitCode = 1;
		return;
	}
	// The longer ones first: they begin with the shorter.
	const changes: Array<[from: string, to: string]> = [
		[manifest.repository.url, `git+${repository}.git`],
		[manifest.bugs, `${repository}/issues`],
		[manifest.homepage, homepage],
		[manifest.author.email, email],
	];
	const options = { cwd: projectRoot, preferLocal: true, reject: false } as const;
	const changed = new Set<string>();
	for (const [from, to] of changes) {
		const { stdout } = execa.sync('git', ['grep', '-lF', from], options);
		for (const file of stdout.split('\n').filter(Boolean)) {
			const place = path.join(projectRoot, file);
			writeFileSync(place, readFileSync(place, 'utf8').replaceAll(from, to));
			changed.add(file);
			console.log(`${file}: ${to}`);
		}
	}
	// The columns of tables are as wide as their links.
	const flags = ['--write', '--log-level', 'warn', '--ignore-unknown'];
	execa.sync('prettier', [...flags, ...changed], { ...options, stdio: 'inherit' });
}

main();
