/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readdirSync } from 'fs';
import manifest from '../../package.json';
import { PLACES, type Addresses } from '../../scripts/addresses';
import { GUIDELINE, PUBLISHED, type Look, type Project } from '../../scripts/guideline';
import { read, ROOT } from '../support/sources';

const ADDRESSES: Addresses = {
	repository: 'https://github.com/somebody/n8n-nodes-mediagen',
	homepage: 'https://somebody.github.io/n8n-nodes-mediagen',
	email: 'somebody@host.test',
};

/** What a program prints where all is well. */
const PRINTED: Record<string, string> = {
	git: 'git@github.com:somebody/n8n-nodes-mediagen.git\n',
	eslint: '[{"messages": []}]',
	'n8n-node': 'eligible for n8n Cloud verification',
};

const atHome = PLACES['package.json']!(read('package.json'), ADDRESSES);

const published = {
	hasVersion: true,
	hasProvenance: true,
	maintainers: ['other <other@host.test>', 'somebody <somebody@host.test>'],
};

/** The project with everything in order, published from a public repository. */
const GOOD: Project = {
	manifest: JSON.parse(atHome) as typeof manifest,
	read,
	filesIn: (folder) =>
		readdirSync(`${ROOT}/${folder}`, { recursive: true, encoding: 'utf8' }).map(
			(file) => `${folder}/${file}`,
		),
	words: async () => await Promise.resolve('Généré'),
	run: async (program) => await Promise.resolve({ ok: true, output: PRINTED[program] ?? '' }),
	answers: async () => await Promise.resolve(true),
	published: async () => await Promise.resolve(published),
};

const withManifest = (change: object): Project => ({
	...GOOD,
	manifest: { ...GOOD.manifest, ...change },
});

/** With another text in the place of those of a file. */
const withText = (name: string, text: string): Project => ({
	...GOOD,
	read: (file) => (file === name ? text : read(file)),
});

const withFile = (name: string): Project => ({
	...GOOD,
	filesIn: (folder) => {
		const files = GOOD.filesIn(folder);
		return name.startsWith(folder) ? [...files, name] : files;
	},
});

const withOutput = (name: string, output: string, ok = true): Project => ({
	...GOOD,
	run: async (program, ...args) =>
		program === name ? await Promise.resolve({ ok, output }) : await GOOD.run(program, ...args),
});

const withPublished = (change: object): Project => ({
	...GOOD,
	published: async () => await Promise.resolve({ ...published, ...change }),
});

const withoutAnswerOf = (address: string): Project => ({
	...GOOD,
	answers: async (asked) => await Promise.resolve(asked !== address),
});

const readme = read('README.md');
const { nodes } = manifest.n8n;
const eslintFinds = (ruleId: string) => `[{"messages": [{"ruleId": "${ruleId}"}]}]`;

const README_SPOILT = [
	withText('README.md', readme.replace('## Install', '## Setup')),
	withText('README.md', readme.replace('## Credential', '## Key')),
	withText('examples/08-scheduled-batch.json', '{"nodes": []}'),
];

/** What is wrong with the project so that a line is not met. */
const SPOILT: Record<string, Project[]> = {
	'Created and checked with the n8n-node tool': [
		withOutput('n8n-node', 'NOT eligible for n8n Cloud verification'),
		withOutput('n8n-node', '', false),
	],
	'The repository URL of the package is that of the GitHub repository': [
		withManifest({ repository: { url: 'git+https://github.com/somebody/other.git' } }),
		withManifest({ repository: { url: 'git+https://host.test/somebody/n8n-nodes-mediagen.git' } }),
		withOutput('git', 'https://github.com/somebody/n8n-nodes-mediagen-2.git'),
		withOutput('git', '', false),
	],
	'Author and maintainer are the same in both': [
		withPublished({ maintainers: ['other <other@host.test>'] }),
		withPublished({ maintainers: [] }),
	],
	'The link works and the repository is public': [
		withoutAnswerOf(ADDRESSES.repository),
		withoutAnswerOf(ADDRESSES.homepage),
	],
	'Documentation: README, usage examples': README_SPOILT,
	'License is MIT': [withManifest({ license: 'ISC' }), withText('LICENSE', 'ISC License')],
	'Published from a GitHub action with provenance': [withPublished({ hasProvenance: false })],
	'No run-time dependencies': [
		withManifest({ dependencies: {} }),
		withManifest({ optionalDependencies: { a: '1' } }),
		withManifest({ bundledDependencies: ['a'] }),
	],
	'Usage, example workflows and authentication': README_SPOILT,
	'Neither is touched; all data comes through parameters': [
		withOutput('eslint', eslintFinds('@n8n/community-nodes/no-restricted-globals'), false),
		withOutput('eslint', eslintFinds('@n8n/community-nodes/no-restricted-imports'), false),
		withOutput('eslint', '[]'),
		withOutput('eslint', 'Oops', false),
	],
	'Consistent style': [withOutput('prettier', '', false)],
	TypeScript: [withFile('src/old.js'), withFile('nodes/old.mjs')],
	'Errors are handled and input is validated': [withOutput('jest', '', false)],
	'The linter passes': [withOutput('n8n-node', '', false)],
	'The name begins with n8n-nodes-': [withManifest({ name: 'mediagen' })],
	'The keyword n8n-community-node-package': [withManifest({ keywords: ['n8n'] })],
	'Nodes and credentials are listed under n8n': [
		withManifest({ n8n: { ...manifest.n8n, nodes: nodes.slice(1) } }),
		withFile('nodes/New/New.node.ts'),
	],
	'This version is on npm': [withPublished({ hasVersion: false })],
};

const lines = new Map<string, Look>(Object.values(GUIDELINE).flatMap(Object.entries));
const lookAt = async (line: string, project: Project) => (await lines.get(line)!(project)).state;

test.each([...lines.keys()])('%s: met only where it can be seen not to be', async (line) => {
	const spoilt = SPOILT[line];
	expect(await lookAt(line, GOOD)).toBe(spoilt ? 'met' : 'by eye');
	for (const project of spoilt ?? []) expect(await lookAt(line, project)).toBe('not met');
});

test('nothing is spoilt that no line is about', () => {
	expect(Object.keys(SPOILT).filter((line) => !lines.has(line))).toEqual([]);
});

test('letters of another script are not English, and what is written in Latin ones is read by eye', async () => {
	const words = async () => await Promise.resolve('Создать');
	const line = 'Interface and documentation';
	expect(await lookAt(line, { ...GOOD, words })).toBe('not met');
});

test('addresses that are placeholders, and a package that npm does not have, come to nothing yet', async () => {
	const states = async (project: Project) => {
		const entries = [...lines.keys()].map(async (line) => [line, await lookAt(line, project)]);
		const open = (await Promise.all(entries)).filter(([, state]) => state === 'before publishing');
		return open.map(([line = '']) => line);
	};
	const ofNpm = [
		'Author and maintainer are the same in both',
		'Published from a GitHub action with provenance',
		'This version is on npm',
	];
	const ofAddresses = [
		'The repository URL of the package is that of the GitHub repository',
		'The link works and the repository is public',
	];
	const unpublished = { ...GOOD, published: async () => await Promise.resolve(undefined) };
	expect((await states(unpublished)).sort()).toEqual(ofNpm);
	const withoutHome = withManifest({ homepage: 'https://docs.example.com' });
	expect((await states(withoutHome)).sort()).toEqual([...ofNpm, ...ofAddresses].sort());
});

test('the access to environment and files is looked for in all that is published', async () => {
	const asked: string[][] = [];
	const run: Project['run'] = async (...args) => {
		asked.push(args);
		return await GOOD.run(...args);
	};
	await lookAt('Neither is touched; all data comes through parameters', { ...GOOD, run });
	expect(asked).toEqual([['eslint', '--no-inline-config', '--format=json', ...PUBLISHED]]);
});
