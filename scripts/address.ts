/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import execa from 'execa';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import manifest from '../package.json';

const usage =
	'npm run address -- --repository https://github.com/OWNER/n8n-nodes-mediagen \\\n' +
	'  --homepage https://OWNER.github.io/n8n-nodes-mediagen --email MAINTAINER@HOST';

const option = { type: 'string' } as const;
const options = { repository: option, homepage: option, email: option };
const { repository, homepage, email } = parseArgs({ options }).values;

/**
 * Gives the project its addresses: package.json is where they stand, and all other files that name
 * them (README, SECURITY, the templates of GitHub) are brought into line with it. A test compares them.
 */
if (repository && homepage && email) {
	// The longer ones first: they begin with the shorter.
	const changes = [
		[manifest.repository.url, `git+${repository}.git`],
		[manifest.bugs, `${repository}/issues`],
		[manifest.homepage, homepage],
		[manifest.author.email, email],
	] as const;
	const patterns = changes.flatMap(([from]) => ['-e', from]);
	const files = execa.sync('git', ['grep', '-lF', ...patterns]).stdout.split('\n');
	for (const file of files) {
		let text = readFileSync(file, 'utf8');
		for (const [from, to] of changes) text = text.replaceAll(from, to);
		writeFileSync(file, text);
		console.log(file);
	}
	// The columns of tables are as wide as their links.
	const flags = ['--write', '--log-level', 'warn', '--ignore-unknown'];
	execa.sync('prettier', [...flags, ...files], { preferLocal: true, stdio: 'inherit' });
} else {
	console.error(usage);
	process.exitCode = 1;
}
