import { addressesIn, isPlaceholder, type Manifest } from './addresses';

/** What a line of the guideline comes to. *Met* is said only after a look that fails when it is not. */
export type State = 'met' | 'not met' | 'before publishing' | 'by eye';

export interface Finding {
	state: State;
	/** What shows it, or what is to be done. */
	because: string;
}

/** What npm says of the package. */
export interface Published {
	/** Whether it has the version of package.json, and whether it shows where that was built. */
	hasVersion: boolean;
	hasProvenance: boolean;
	/** Who may publish it, such as `somebody <somebody@host.test>`. */
	maintainers: string[];
}

/** The project as the looks see it. */
export interface Project {
	manifest: Manifest & {
		name: string;
		license: string;
		keywords: string[];
		n8n: { nodes: string[]; credentials: string[] };
	};
	read: (file: string) => string;
	/** The files beneath a folder, as paths from the root. */
	filesIn: (folder: string) => string[];
	/** All that users of the nodes and credentials read. */
	words: () => Promise<string>;
	/** Runs a program of the project's own. */
	run: (program: string, ...args: string[]) => Promise<{ ok: boolean; output: string }>;
	/** Whether an address shows a page to somebody who is not signed in. */
	answers: (address: string) => Promise<boolean>;
	/** What npm has of the package; nothing where it has none. */
	published: () => Promise<Published | undefined>;
}

export type Look = (project: Project) => Promise<Finding> | Finding;

/** The folders of what is published. */
export const PUBLISHED = ['nodes', 'credentials', 'src'];

const holds = (isSo: boolean, because: string): Finding => ({
	state: isSo ? 'met' : 'not met',
	because,
});

const byEye =
	(because: string): Look =>
	() => ({ state: 'by eye', because });

/** A look at addresses, of which nobody can say anything before they are real ones. */
const atHome =
	(look: Look): Look =>
	async (project) => {
		const placeholder = Object.values(addressesIn(project.manifest)).find(isPlaceholder);
		if (!placeholder) return await look(project);
		const because = `package.json says ${placeholder}: run npm run address`;
		return { state: 'before publishing', because };
	};

/** A look at what npm has. */
const atNpm = (look: (found: Published, project: Project) => Finding): Look =>
	atHome(async (project) => {
		const found = await project.published();
		if (found) return look(found, project);
		return { state: 'before publishing', because: 'npm does not have the package' };
	});

const publishedFiles = ({ filesIn }: Project) => PUBLISHED.flatMap(filesIn);

/** As people open it, of whatever form git knows it by. */
const openedAt = (remote: string) =>
	remote
		.trim()
		.replace(/^git\+/, '')
		.replace(/^(ssh:\/\/)?git@([^/:]+)[/:]/, 'https://$2/')
		.replace(/\.git$/, '');

async function lookAtRepository({ manifest, run }: Project): Promise<Finding> {
	const { repository } = addressesIn(manifest);
	const { output } = await run('git', 'remote', 'get-url', 'origin');
	const isSame = repository.startsWith('https://github.com/') && openedAt(output) === repository;
	return holds(isSame, `package.json says ${repository}, origin is ${output.trim() || 'none'}`);
}

async function lookAtLinks({ manifest, answers }: Project): Promise<Finding> {
	const { repository, homepage } = addressesIn(manifest);
	const found = await Promise.all([repository, homepage].map(answers));
	return holds(!found.includes(false), `${repository} and ${homepage} answer without a sign-in`);
}

/** The headings that somebody needs who has never seen the package. */
const README_PARTS = ['Install', 'Credential', 'First picture', 'Compatibility', 'Resources'];

function isImportable(text: string): boolean {
	const { nodes, connections } = JSON.parse(text) as { nodes?: unknown; connections?: unknown };
	return Array.isArray(nodes) && nodes.length > 0 && typeof connections === 'object';
}

function lookAtReadme({ read, filesIn }: Project): Finding {
	const readme = read('README.md');
	const lacking = README_PARTS.filter((part) => !readme.includes(`\n## ${part}\n`));
	if (lacking.length > 0) return holds(false, `README.md has no ${lacking.join(', ')}`);
	const examples = filesIn('examples').filter((file) => file.endsWith('.json'));
	const broken = examples.filter((file) => !isImportable(read(file)));
	if (broken.length > 0) return holds(false, `cannot be imported: ${broken.join(', ')}`);
	return holds(examples.length > 0, `README.md, ${examples.length} workflows in examples/`);
}

/** Letters of other scripts are found; whether the words are English, a reader has to say. */
async function lookAtLanguage({ words, read }: Project): Promise<Finding> {
	const foreign = [await words(), read('README.md')]
		.join('\n')
		.match(/(?!\p{Script=Latin})\p{L}+/gu);
	if (foreign) return holds(false, `not English: ${foreign.slice(0, 3).join(', ')}`);
	return { state: 'by eye', because: 'no letters of another script in labels, hints and README' };
}

function lookAtRegistration(project: Project): Finding {
	const { nodes, credentials } = project.manifest.n8n;
	const listed = [...nodes, ...credentials];
	const sources = listed.map((file) => file.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
	const written = publishedFiles(project).filter((file) => /\.(node|credentials)\.ts$/.test(file));
	const isSame = sources.sort().join() === written.sort().join();
	return holds(isSame, `${listed.length} files listed, ${written.length} written`);
}

const RESTRICTED = /no-restricted-(globals|imports)|no-dangerous-functions/;

/** Without heed to lines that switch a rule off. */
async function lookAtAccess({ run }: Project): Promise<Finding> {
	const { output } = await run('eslint', '--no-inline-config', '--format=json', ...PUBLISHED);
	if (!output.startsWith('[')) return holds(false, `eslint did not run: ${output.slice(0, 200)}`);
	const files = JSON.parse(output) as Array<{ messages: Array<{ ruleId: string | null }> }>;
	const messages = files.flatMap((file) => file.messages);
	const found = messages.filter(({ ruleId }) => !ruleId || RESTRICTED.test(ruleId));
	const because = "n8n's lint rules for both, where no line may switch them off";
	return holds(files.length > 0 && found.length === 0, because);
}

function lookAtDependencies({ manifest }: Project): Finding {
	const kinds = [
		'dependencies',
		'optionalDependencies',
		'bundledDependencies',
		'bundleDependencies',
	];
	const found = kinds.filter((kind) => kind in manifest);
	return holds(found.length === 0, `package.json has ${found.join(', ') || 'no dependencies'}`);
}

const passes =
	(because: string, program: string, ...args: string[]): Look =>
	async ({ run }) =>
		holds((await run(program, ...args)).ok, because);

/**
 * n8n's guideline, its standards and what it asks before a submission, in their order: how each line is
 * looked at.
 */
export const GUIDELINE: Record<string, Record<string, Look>> = {
	'Use the n8n-node tool': {
		async 'Created and checked with the n8n-node tool'({ run }) {
			const { output } = await run('n8n-node', 'cloud-support');
			const isEligible = output.includes('eligible for n8n Cloud') && !output.includes('NOT');
			return holds(isEligible, 'n8n-node cloud-support: eligible for verification');
		},
	},
	'Node types': {
		'Not an existing node': byEye('n8n has no node for this service'),
		'No logic or flow control': byEye('each node calls the service; two are triggers'),
	},
	'Package source verification': {
		'The repository URL of the package is that of the GitHub repository': atHome(lookAtRepository),
		'Author and maintainer are the same in both': atNpm(({ maintainers }, { manifest }) =>
			holds(
				maintainers.some((one) => one.includes(`<${manifest.author.email}>`)),
				`at npm: ${maintainers.join(', ')}`,
			),
		),
		'The link works and the repository is public': atHome(lookAtLinks),
		'Documentation: README, usage examples': lookAtReadme,
		'License is MIT': ({ manifest, read }) =>
			holds(
				manifest.license === 'MIT' && read('LICENSE').startsWith('MIT License'),
				'package.json, LICENSE',
			),
		'Published from a GitHub action with provenance': atNpm(({ hasProvenance }) =>
			holds(hasProvenance, 'npm shows where this version was built'),
		),
	},
	'No external dependencies': {
		'No run-time dependencies': lookAtDependencies,
	},
	'Proper documentation': {
		'Usage, example workflows and authentication': lookAtReadme,
	},
	'No access to environment variables or file system': {
		'Neither is touched; all data comes through parameters': lookAtAccess,
	},
	"Follow n8n's best practices": {
		'Consistent style': passes('prettier', 'prettier', '--check', ...PUBLISHED),
		TypeScript(project) {
			const others = publishedFiles(project).filter((file) => /\.[cm]?jsx?$/.test(file));
			return holds(others.length === 0, `${others.length} files of JavaScript in the sources`);
		},
		'Errors are handled and input is validated': passes(
			'test/nodes/oddValues.test.ts gives every parameter everything',
			'jest',
			'test/nodes/oddValues',
		),
		'The linter passes': passes('n8n-node lint', 'n8n-node', 'lint'),
	},
	'English only': { 'Interface and documentation': lookAtLanguage },
	'Standards of community nodes': {
		'The name begins with n8n-nodes-': ({ manifest }) =>
			holds(manifest.name.startsWith('n8n-nodes-'), manifest.name),
		'The keyword n8n-community-node-package': ({ manifest }) =>
			holds(manifest.keywords.includes('n8n-community-node-package'), 'package.json'),
		'Nodes and credentials are listed under n8n': lookAtRegistration,
	},
	'Before a submission': {
		'Follows the UX guidelines': byEye('docs/verification.md lists each with how it is met'),
		'This version is on npm': atNpm(({ hasVersion }, { manifest }) =>
			holds(hasVersion, `npm view ${manifest.name}`),
		),
	},
};
