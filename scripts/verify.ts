/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import execa from 'execa';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../lab/process/paths';
import manifest from '../package.json';
import { readCredentials, readNodes } from './nodes';

/** What a line of the guideline comes to. */
type State = 'met' | 'not met' | 'before publishing' | 'by eye';

interface Line {
	asked: string;
	/** The state, and what shows it or what is to be done. */
	look: () => Promise<Finding> | Finding;
}

interface Finding {
	state: State;
	because: string;
}

const PLACEHOLDER = 'example.com';

/** The folders of what is published. */
const PUBLISHED = ['nodes', 'credentials', 'src'];

const text = (file: string) => readFileSync(path.join(projectRoot, file), 'utf8');

const ifHolds = (holds: boolean, because: string): Finding => ({
	state: holds ? 'met' : 'not met',
	because,
});

const byEye = (because: string): Finding => ({ state: 'by eye', because });

/** Runs a program of the project's own; says how it ended and what it printed. */
function runTool(program: string, ...args: string[]): { ok: boolean; output: string } {
	const options = { cwd: projectRoot, preferLocal: true, reject: false } as const;
	const { exitCode, stdout, stderr } = execa.sync(program, args, options);
	return { ok: exitCode === 0, output: `${stdout}${stderr}` };
}

/** All files of the published folders with one of these endings. */
function publishedFiles(...endings: string[]): string[] {
	return PUBLISHED.flatMap((folder) =>
		readdirSync(path.join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
			path.join(folder, file),
		),
	).filter((file) => endings.includes(path.extname(file)));
}

/** A line that an address in package.json decides, which nobody can check before it is a real one. */
function address(value: string, because: string): Finding {
	if (value.includes(PLACEHOLDER))
		return {
			state: 'before publishing',
			because: `package.json says ${value}: run npm run address`,
		};
	return { state: 'met', because };
}

/** The headings that somebody needs who has never seen the package. */
const README_PARTS = ['Install', 'Credential', 'First picture', 'Compatibility', 'Resources'];

function lookAtReadme(): Finding {
	const readme = text('README.md');
	const lacking = README_PARTS.filter((part) => !readme.includes(`\n## ${part}\n`));
	const count = readdirSync(path.join(projectRoot, 'examples')).filter((file) =>
		file.endsWith('.json'),
	).length;
	const has = `README.md, ${count} importable workflows in examples/`;
	if (lacking.length === 0 && count > 0) return { state: 'met', because: has };
	return { state: 'not met', because: `README.md has no ${lacking.join(', ')}` };
}

/** Letters of other scripts in what people read. */
async function lookAtLanguage(): Promise<Finding> {
	const shown = [...(await readNodes()).map(({ description }) => description)];
	const texts = [JSON.stringify(shown), JSON.stringify(await readCredentials()), text('README.md')];
	const foreign = texts.join('\n').match(/(?!\p{Script=Latin})\p{L}+/gu) ?? [];
	if (foreign.length === 0) return { state: 'met', because: 'all labels, hints and the README' };
	return { state: 'not met', because: `not English: ${foreign.slice(0, 3).join(', ')}` };
}

function lookAtRegistration(): Finding {
	const listed = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
	const sources = listed.map((file) => file.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
	const written = publishedFiles('.ts').filter((file) => /\.(node|credentials)\.ts$/.test(file));
	const isSame = [...sources].sort().join() === [...written].sort().join();
	return ifHolds(isSame, `${listed.length} files listed, ${written.length} written`);
}

/** n8n's guideline, its standards and what it asks before a submission, in their order. */
const GUIDELINE: Record<string, Line[]> = {
	'Use the n8n-node tool': [
		{
			asked: 'Created and checked with the n8n-node tool',
			look() {
				const { output } = runTool('n8n-node', 'cloud-support');
				const eligible = output.includes('eligible for n8n Cloud') && !output.includes('NOT');
				return ifHolds(eligible, 'n8n-node cloud-support: eligible for verification');
			},
		},
	],
	'Node types': [
		{
			asked: 'Not an existing node',
			look: () => byEye('n8n has no node for this service'),
		},
		{
			asked: 'No logic or flow control',
			look: () => byEye('each node calls the service; two are triggers'),
		},
	],
	'Package source verification': [
		{
			asked: 'The repository URL of the package is that of the GitHub repository',
			look: () => address(manifest.repository.url, manifest.repository.url),
		},
		{
			asked: 'Author and maintainer are the same in both',
			look: () => address(manifest.author.email, `${manifest.author.name}; compare with npm`),
		},
		{
			asked: 'The link works and the repository is public',
			look: () => address(manifest.homepage, `open ${manifest.homepage} in a private window`),
		},
		{ asked: 'Documentation: README, usage examples', look: lookAtReadme },
		{
			asked: 'License is MIT',
			look: () =>
				ifHolds(
					manifest.license === 'MIT' && text('LICENSE').startsWith('MIT'),
					'package.json, LICENSE',
				),
		},
		{
			asked: 'Published from a GitHub action with provenance',
			look() {
				const workflow = text('.github/workflows/publish.yml');
				const proves = workflow.includes('id-token: write') && manifest.publishConfig.provenance;
				return ifHolds(proves && manifest.private, 'publish.yml, and nothing else can publish');
			},
		},
	],
	'No external dependencies': [
		{
			asked: 'No run-time dependencies',
			look: () => ifHolds(!('dependencies' in manifest), 'package.json has no dependencies'),
		},
	],
	'Proper documentation': [
		{ asked: 'Usage, example workflows and authentication', look: lookAtReadme },
	],
	'No access to environment variables or file system': [
		{
			asked: 'Neither is touched; all data comes through parameters',
			look() {
				const excused = publishedFiles('.ts').filter((file) =>
					/eslint-disable.*no-restricted/.test(text(file)),
				);
				return ifHolds(
					excused.length === 0,
					"n8n's lint rules for both, switched off in no published file",
				);
			},
		},
	],
	"Follow n8n's best practices": [
		{
			asked: 'Consistent style',
			look: () => ifHolds(runTool('prettier', '--check', ...PUBLISHED).ok, 'prettier'),
		},
		{
			asked: 'TypeScript',
			look: () => ifHolds(publishedFiles('.js').length === 0, 'no JavaScript in the sources'),
		},
		{
			asked: 'Errors are handled and input is validated',
			look: () =>
				ifHolds(
					existsSync(path.join(projectRoot, 'test/e2e/anything.test.ts')),
					'test/nodes and test/e2e/anything.test.ts try every parameter',
				),
		},
		{
			asked: 'The linter passes',
			look: () =>
				ifHolds(
					runTool('n8n-node', 'lint').ok,
					"n8n-node lint; the scanner's rules: test/e2e/scanner.test.ts",
				),
		},
	],
	'English only': [{ asked: 'Interface and documentation', look: lookAtLanguage }],
	'Standards of community nodes': [
		{
			asked: 'The name begins with n8n-nodes-',
			look: () => ifHolds(manifest.name.startsWith('n8n-nodes-'), manifest.name),
		},
		{
			asked: 'The keyword n8n-community-node-package',
			look: () => ifHolds(manifest.keywords.includes('n8n-community-node-package'), 'package.json'),
		},
		{ asked: 'Nodes and credentials are listed under n8n', look: lookAtRegistration },
	],
	'Before a submission': [
		{
			asked: 'Follows the UX guidelines',
			look: () => byEye('docs/verification.md lists each with how it is met'),
		},
		{
			asked: 'The package is on npm',
			look: () => address(manifest.homepage, `npm view ${manifest.name}`),
		},
	],
};

/** `npm run verify`: every line of n8n's verification guideline with its state. Ends with 1 when one is not met. */
async function main(): Promise<void> {
	const counts: Record<State, number> = {
		met: 0,
		'by eye': 0,
		'before publishing': 0,
		'not met': 0,
	};
	for (const [section, lines] of Object.entries(GUIDELINE)) {
		console.log(`\n${section}`);
		for (const { asked, look } of lines) {
			const { state, because } = await look();
			counts[state] += 1;
			console.log(`  ${state.padEnd(17)}  ${asked}  (${because})`);
		}
	}
	const summary = Object.entries(counts).map(([state, count]) => `${count} ${state}`);
	console.log(`\n${summary.join(', ')}`);
	process.exitCode = counts['not met'] > 0 ? 1 : 0;
}

void main();
