/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import execa from 'execa';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../lab/process/paths';
import manifest from '../package.json';
import { readCredentials, readNodes } from './nodes';

/** What a line of the guideline comes to. */
type State = 'met' | 'not met' | 'before publishing' | 'by eye';

interface Finding {
	state: State;
	/** What shows it, or what is to be done. */
	because: string;
}

type Look = () => Promise<Finding> | Finding;

/** The folders of what is published. */
const PUBLISHED = ['nodes', 'credentials', 'src'];

const text = (file: string) => readFileSync(path.join(projectRoot, file), 'utf8');

const holds = (isSo: boolean, because: string): Finding => ({
	state: isSo ? 'met' : 'not met',
	because,
});

const byEye = (because: string): Finding => ({ state: 'by eye', because });

/** Runs a program of the project's own; whether it went well, and what it printed. */
function runTool(program: string, ...args: string[]): { ok: boolean; output: string } {
	const options = { cwd: projectRoot, preferLocal: true, reject: false } as const;
	const { exitCode, stdout } = execa.sync(program, args, options);
	return { ok: exitCode === 0, output: stdout };
}

const filesIn = (folder: string) =>
	readdirSync(path.join(projectRoot, folder), { recursive: true, encoding: 'utf8' });

/** All files of the published folders with this ending. */
const publishedFiles = (ending: string) =>
	PUBLISHED.flatMap((folder) => filesIn(folder).map((file) => path.join(folder, file))).filter(
		(file) => path.extname(file) === ending,
	);

/** A line that an address in package.json decides, which nobody can check before it is a real one. */
function address(value: string, because: string): Finding {
	if (!value.includes('example.com')) return { state: 'met', because };
	const todo = `package.json says ${value}: run npm run address`;
	return { state: 'before publishing', because: todo };
}

/** The headings that somebody needs who has never seen the package. */
const README_PARTS = ['Install', 'Credential', 'First picture', 'Compatibility', 'Resources'];

function lookAtReadme(): Finding {
	const readme = text('README.md');
	const lacking = README_PARTS.filter((part) => !readme.includes(`\n## ${part}\n`));
	if (lacking.length > 0) return holds(false, `README.md has no ${lacking.join(', ')}`);
	const { length } = filesIn('examples').filter((file) => file.endsWith('.json'));
	return holds(length > 0, `README.md, ${length} importable workflows in examples/`);
}

/** Letters of other scripts in what people read. */
async function lookAtLanguage(): Promise<Finding> {
	const nodes = (await readNodes()).map(({ description }) => description);
	const shown = [JSON.stringify([nodes, await readCredentials()]), text('README.md')].join('\n');
	const foreign = shown.match(/(?!\p{Script=Latin})\p{L}+/gu) ?? [];
	if (foreign.length === 0) return holds(true, 'all labels, hints and the README');
	return holds(false, `not English: ${foreign.slice(0, 3).join(', ')}`);
}

function lookAtRegistration(): Finding {
	const listed = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
	const sources = listed.map((file) => file.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
	const written = publishedFiles('.ts').filter((file) => /\.(node|credentials)\.ts$/.test(file));
	const isSame = [...sources].sort().join() === [...written].sort().join();
	return holds(isSame, `${listed.length} files listed, ${written.length} written`);
}

/** n8n's guideline, its standards and what it asks before a submission, in their order: how each line is looked at. */
const GUIDELINE: Record<string, Record<string, Look>> = {
	'Use the n8n-node tool': {
		'Created and checked with the n8n-node tool'() {
			const { output } = runTool('n8n-node', 'cloud-support');
			const eligible = output.includes('eligible for n8n Cloud') && !output.includes('NOT');
			return holds(eligible, 'n8n-node cloud-support: eligible for verification');
		},
	},
	'Node types': {
		'Not an existing node': () => byEye('n8n has no node for this service'),
		'No logic or flow control': () => byEye('each node calls the service; two are triggers'),
	},
	'Package source verification': {
		'The repository URL of the package is that of the GitHub repository': () =>
			address(manifest.repository.url, manifest.repository.url),
		'Author and maintainer are the same in both': () =>
			address(manifest.author.email, `${manifest.author.name}; compare with npm`),
		'The link works and the repository is public': () =>
			address(manifest.homepage, `open ${manifest.homepage} in a private window`),
		'Documentation: README, usage examples': lookAtReadme,
		'License is MIT'() {
			const isMit = manifest.license === 'MIT' && text('LICENSE').startsWith('MIT');
			return holds(isMit, 'package.json, LICENSE');
		},
		'Published from a GitHub action with provenance'() {
			const workflow = text('.github/workflows/publish.yml');
			const proves = workflow.includes('id-token: write') && manifest.publishConfig.provenance;
			return holds(proves && manifest.private, 'publish.yml, and nothing else can publish');
		},
	},
	'No external dependencies': {
		'No run-time dependencies': () =>
			holds(!('dependencies' in manifest), 'package.json has no dependencies'),
	},
	'Proper documentation': {
		'Usage, example workflows and authentication': lookAtReadme,
	},
	'No access to environment variables or file system': {
		'Neither is touched; all data comes through parameters'() {
			const isExcused = (file: string) => /eslint-disable.*no-restricted/.test(text(file));
			const because = "n8n's lint rules for both, switched off in no published file";
			return holds(!publishedFiles('.ts').some(isExcused), because);
		},
	},
	"Follow n8n's best practices": {
		'Consistent style': () => holds(runTool('prettier', '--check', ...PUBLISHED).ok, 'prettier'),
		TypeScript: () => holds(publishedFiles('.js').length === 0, 'no JavaScript in the sources'),
		'Errors are handled and input is validated'() {
			const test = 'test/nodes/anything.test.ts';
			return holds(existsSync(path.join(projectRoot, test)), `${test} tries every parameter`);
		},
		'The linter passes'() {
			const because = "n8n-node lint; the scanner's rules: test/e2e/scanner.test.ts";
			return holds(runTool('n8n-node', 'lint').ok, because);
		},
	},
	'English only': { 'Interface and documentation': lookAtLanguage },
	'Standards of community nodes': {
		'The name begins with n8n-nodes-': () =>
			holds(manifest.name.startsWith('n8n-nodes-'), manifest.name),
		'The keyword n8n-community-node-package': () =>
			holds(manifest.keywords.includes('n8n-community-node-package'), 'package.json'),
		'Nodes and credentials are listed under n8n': lookAtRegistration,
	},
	'Before a submission': {
		'Follows the UX guidelines': () => byEye('docs/verification.md lists each with how it is met'),
		'The package is on npm': () => address(manifest.homepage, `npm view ${manifest.name}`),
	},
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
		for (const [asked, look] of Object.entries(lines)) {
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
