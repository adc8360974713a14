/**
 * The rules of n8n's community package scanner, with its configuration (it must not be switched off by
 * comments), over what users get (`tarball`: the built files that npm packs) and over what it is built from
 * (`source`). Prints what is wrong. The scanner itself takes published packages only.
 */
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import { config as lintConfig } from '@n8n/node-cli/eslint';
import { execFileSync } from 'node:child_process';
import { ESLint } from 'eslint';
import nodesBase from 'eslint-plugin-n8n-nodes-base';
import fs from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..', '..', '..');

/** The TypeScript parser is not ours to ask for; n8n's tool brings it along. */
const parser = lintConfig.map((one) => one.languageOptions?.parser).find(Boolean);

/** What is published, as the build leaves it. */
const published = path.join('dist', 'package');

const packed = () => {
	const [{ files }] = JSON.parse(
		execFileSync('npm', ['pack', '--dry-run', '--json', '--silent'], {
			cwd: path.join(root, published),
			shell: process.platform === 'win32',
		}),
	);
	const code = files.map((file) => file.path).filter((file) => file.endsWith('.js'));
	return ['package.json', ...code].map((file) => path.join(published, file));
};

const sources = () =>
	['nodes', 'credentials'].flatMap((folder) =>
		fs
			.readdirSync(path.join(root, folder), { recursive: true })
			.map((file) => path.join(folder, String(file)))
			.filter((file) => /\.(ts|js|json)$/.test(file)),
	);

const off = (...rules) =>
	Object.fromEntries(rules.map((rule) => [`n8n-nodes-base/${rule}`, 'off']));

const config = [
	...[n8nCommunityNodesPlugin.configs.recommended].flat(),
	{ rules: { 'no-console': 'error' } },
	{ plugins: { 'n8n-nodes-base': nodesBase } },
	{ files: ['**/package.json'], rules: nodesBase.configs.community.rules },
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...nodesBase.configs.credentials.rules,
			...off(
				'cred-class-field-documentation-url-miscased',
				'cred-class-field-type-options-password-missing',
			),
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...nodesBase.configs.nodes.rules,
			...off(
				'node-class-description-inputs-wrong-regular-node',
				'node-class-description-outputs-wrong',
				'node-param-type-options-max-value-present',
			),
		},
	},
	{ files: ['**/*.json', '**/*.ts'], languageOptions: { parser } },
];

const files = process.argv[2] === 'tarball' ? packed() : ['package.json', ...sources()];
const eslint = new ESLint({
	cwd: root,
	allowInlineConfig: false,
	overrideConfigFile: true,
	overrideConfig: config,
});
const results = await eslint.lintFiles(files.map((file) => path.join(root, file)));
const problems = results.flatMap(({ filePath, messages }) =>
	messages.map(({ line, ruleId, message }) => ({
		file: path.relative(root, filePath),
		line,
		ruleId,
		message,
	})),
);
process.stdout.write(JSON.stringify({ files: results.length, problems }));
