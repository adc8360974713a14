/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../lab/process/paths';
import { PLACES, problemsIn, type Addresses } from './addresses';

const usage = `Gives the project its addresses:
npm run address -- --repository https://github.com/OWNER/n8n-nodes-mediagen \\
  --homepage https://OWNER.github.io/n8n-nodes-mediagen --email MAINTAINER@HOST`;

/** @throws when an option is unknown or lacking */
function readOptions(): Addresses {
	const option = { type: 'string' } as const;
	const options = { repository: option, homepage: option, email: option };
	const { repository, homepage, email } = parseArgs({ options }).values;
	if (!repository || !homepage || !email) throw new Error('All three are needed');
	return { repository, homepage, email };
}

/** Writes them into all files that hold one, or into none. */
function main(): void {
	try {
		const addresses = readOptions();
		const problems = problemsIn(addresses);
		if (problems.length > 0) throw new Error(problems.join('\n'));
		const written = Object.entries(PLACES).map(([name, put]) => {
			const file = path.join(projectRoot, name);
			return [file, put(readFileSync(file, 'utf8'), addresses)] as const;
		});
		for (const [file, text] of written) writeFileSync(file, text);
		console.log(`Written: ${Object.keys(PLACES).join(', ')}`);
	} catch (error) {
		console.error(`${(error as Error).message}\n\n${usage}`);
		process.exitCode = 1;
	}
}

main();
