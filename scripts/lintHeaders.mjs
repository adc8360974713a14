import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { config } from '@n8n/node-cli/eslint';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import { ESLint } from 'eslint';

/*
 * n8n's tool calls the package eligible only while eslint.config.mjs is its template, which has no
 * exceptions. So each file that is not published says in its first line which rules for published code
 * it breaks: no more than it needs, because ESLint reports a rule that is switched off in vain.
 */

const projectRoot = path.resolve(import.meta.dirname, '..');

const FOLDERS = ['bench', 'lab', 'scripts', 'src/sandbox', 'test', 'testing'];

/** The rules that speak of what runs inside n8n. */
const RULES = [
	'@n8n/community-nodes/no-dangerous-functions',
	'@n8n/community-nodes/no-hardcoded-secrets',
	'@n8n/community-nodes/no-restricted-globals',
	'@n8n/community-nodes/no-restricted-imports',
	'@n8n/community-nodes/require-node-api-error',
	'no-console',
];

const HEADER = /^\/\* eslint-disable [^*]*-- not published \*\/\n/;

const headerOf = (rules) =>
	rules.length ? `/* eslint-disable ${rules.join(', ')} -- not published */\n` : '';

/** TypeScript's, as n8n's own configuration has it. */
const { parser } = config.find(({ languageOptions }) => languageOptions?.parser).languageOptions;

/** Only these rules: all of n8n's take a minute. */
const eslint = new ESLint({
	cwd: projectRoot,
	overrideConfigFile: true,
	overrideConfig: [
		{
			files: ['**/*.ts'],
			languageOptions: { parser },
			linterOptions: { reportUnusedDisableDirectives: 'off' },
			plugins: { '@n8n/community-nodes': n8nCommunityNodesPlugin },
			rules: Object.fromEntries(RULES.map((rule) => [rule, 'error'])),
		},
	],
});

/** A file with the first line that it needs. */
async function withHeader(file, text) {
	const body = text.replace(HEADER, '');
	const results = await eslint.lintText(body, { filePath: path.join(projectRoot, file) });
	const broken = results.flatMap(({ messages }) => messages.map(({ ruleId }) => ruleId));
	return headerOf(RULES.filter((rule) => broken.includes(rule))) + body;
}

async function main() {
	const check = process.argv.includes('--check');
	const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...FOLDERS];
	const files = execFileSync('git', listed, { cwd: projectRoot, encoding: 'utf8' })
		.split('\n')
		.filter((file) => file.endsWith('.ts'));
	const wrong = [];
	for (const file of new Set(files)) {
		const whole = path.join(projectRoot, file);
		const before = readFileSync(whole, 'utf8');
		const after = await withHeader(file, before);
		if (after === before) continue;
		wrong.push(file);
		if (!check) writeFileSync(whole, after);
	}
	if (check && wrong.length > 0) {
		console.error(`The first line of these files does not fit; npm run lint:fix mends it:`);
		for (const file of wrong) console.error(`  ${file}`);
		process.exitCode = 1;
	}
}

await main();
