/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import execa from 'execa';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'fs';
import { createServer, type Server } from 'http';
import type { AddressInfo } from 'net';
import { tmpdir } from 'os';
import { join } from 'path';
import { read, ROOT } from '../support/sources';

const tarball = 'n8n-nodes-mediagen-0.1.0.tgz';

let registry: Server;
let address: string;
/** A clone in which only `npm ci` has run, with an origin of its own beside it. */
let clone: string;
let folder: string;
/** What the registry was sent. */
const published: unknown[] = [];

/** Without what a test run adds to the environment: a person's shell does not have it. */
const person = Object.fromEntries(
	Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_ENV$|GITHUB_)/i.test(name)),
);

async function run(command: string, args: string[], { cwd = clone, env = {} } = {}) {
	const options = { cwd, env: { ...person, ...env }, extendEnv: false, reject: false, all: true };
	const { exitCode: code, all: output = '' } = await execa(command, args, options);
	return { code, output };
}

/** Runs what has to go well. */
async function well(command: string, ...args: string[]): Promise<string> {
	const { code, output } = await run(command, args);
	expect({ command: [command, ...args], code, output: code ? output : '' }).toMatchObject({
		code: 0,
		output: '',
	});
	return output;
}

/** The options of somebody who is logged in at the registry of this test. */
const account = () => [
	`--registry=${address}`,
	`--//${new URL(address).host}/:_authToken=none`,
	`--cache=${join(folder, 'cache')}`,
];

/** All that is registered, with icons and codex files, and what a reader looks for; nothing of the workshop. */
function expectPackage(files: string[]): void {
	const { n8n } = JSON.parse(read('package.json')) as {
		n8n: { nodes: string[]; credentials: string[] };
	};
	const codexes = n8n.nodes.map((file) => file.replace(/\.js$/, '.json'));
	const texts = ['README.md', 'CHANGELOG.md', 'LICENSE', 'package.json'];
	expect(files).toEqual(
		expect.arrayContaining([...n8n.nodes, ...n8n.credentials, ...codexes, ...texts]),
	);
	expect(files.some((file) => file.endsWith('.svg'))).toBe(true);
	expect(files.filter((file) => !/^dist\/(nodes|credentials|src)\//.test(file)).sort()).toEqual(
		texts.sort(),
	);
}

beforeAll(async () => {
	registry = createServer((request, response) => {
		let body = '';
		request.on('data', (chunk: Buffer) => (body += chunk.toString()));
		request.on('end', () => {
			if (request.method === 'PUT') published.push(body);
			response.writeHead(request.method === 'PUT' ? 200 : 404, {
				'content-type': 'application/json',
			});
			response.end('{}');
		});
	});
	await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
	address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
	folder = mkdtempSync(join(tmpdir(), 'mediagen-release-'));
	clone = join(folder, 'clone');
	const origin = join(folder, 'origin.git');
	await run('git', ['clone', '--quiet', '--bare', '--no-hardlinks', ROOT, origin], { cwd: folder });
	// Whatever the branch that is tested is called.
	await run('git', ['branch', '--force', 'main', 'HEAD'], { cwd: origin });
	await run('git', ['symbolic-ref', 'HEAD', 'refs/heads/main'], { cwd: origin });
	await run('git', ['clone', '--quiet', origin, clone], { cwd: folder });
	symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
	await well('git', 'config', 'user.name', 'Test');
	await well('git', 'config', 'user.email', 'test@example.com');
});
afterAll(() => {
	registry.close();
	rmSync(folder, { recursive: true, force: true });
});
test('npm pack says what to run before, and packs all that is registered after a build', async () => {
	const { code, output } = await run('npm', ['pack']);
	expect(code).not.toBe(0);
	expect(output).toContain('run-npm-run-build-first');
	await well('npm', 'run', 'build');
	await well('npm', 'pack');
	const files = (await well('tar', '-tzf', tarball)).trim().split('\n');
	expectPackage(files.map((file) => file.replace(/^package\//, '')));
});

test.each([
	[[]],
	[['--ignore-scripts', '--no-provenance', '--force']],
	[[tarball, '--no-provenance', '--access=public']],
])('npm publish with %j is refused', async (args) => {
	const { code, output } = await run('npm', ['publish', ...args, ...account()]);
	expect(code).not.toBe(0);
	expect(output).toMatch(/EPRIVATE|marked as private/);
	expect(published).toEqual([]);
});

describe('npm run release', () => {
	const release = async (...args: string[]) => await run('npm', ['run', 'release', '--', ...args]);
	/** A line for each script that a release has run, in their order. */
	const log = () => join(folder, 'scripts.log');
	const ran = () => readFileSync(log(), 'utf8').trim().split('\n');

	// What lint, tests, mutants and build find is seen where they run, in `.ci/run`; here it counts when they do.
	beforeAll(async () => {
		const standIns = ['lint', 'test', 'mutants', 'build'].map(
			(script) => `scripts.${script}=echo ${script} >> ${log()}`,
		);
		await well('npm', 'pkg', 'set', ...standIns);
		await well('git', 'commit', '--quiet', '-am', 'Stand-ins');
		await well('git', 'push', '--quiet', 'origin', 'main');
	});
	beforeEach(() => writeFileSync(log(), ''));

	test('is refused without a version, and while the addresses are placeholders', async () => {
		expect((await release()).output).toContain('npm run release -- 0.2.0');
		expect(await release('0.1.0')).toMatchObject({
			code: 1,
			output: expect.stringContaining('npm run address'),
		});
	});

	test('npm run address gives all files their addresses', async () => {
		const owner = 'https://github.com/somebody/n8n-nodes-mediagen';
		const values = { repository: owner, homepage: 'https://somebody.github.io/n8n-nodes-mediagen' };
		const args = Object.entries({ ...values, email: 'somebody@host.test' });
		await well('npm', 'run', 'address', '--', ...args.map(([name, to]) => `--${name}=${to}`));
		const { homepage } = JSON.parse(read('package.json')) as { homepage: string };
		const left = await run('git', ['grep', '-lF', homepage]);
		expect(left.output).toBe('');
		expect(readFileSync(join(clone, 'README.md'), 'utf8')).toContain(`${values.homepage}/docs/`);
		await well('git', 'commit', '--quiet', '-am', 'Addresses');
		expect((await release('0.1.0')).output).toContain('differs from origin/main');
		await well('git', 'push', '--quiet', 'origin', 'main');
	});

	test('a failing check ends it before anything is changed', async () => {
		await well('npm', 'pkg', 'set', 'scripts.mutants=exit 1');
		await well('git', 'commit', '--quiet', '-am', 'A mutant survives');
		await well('git', 'push', '--quiet', 'origin', 'main');
		expect((await release('0.1.0')).code).toBe(1);
		expect(ran()).toEqual(['lint', 'test']);
		expect(await well('git', 'status', '--porcelain')).toBe('');
		expect(await well('git', 'ls-remote', '--tags', 'origin')).toBe('');
		await well('git', 'revert', '--no-edit', 'HEAD');
		await well('git', 'push', '--quiet', 'origin', 'main');
	});

	test('lints, tests, tries all mutants, builds, dates the entry of the changelog and pushes version and tag', async () => {
		const before = readFileSync(join(clone, 'CHANGELOG.md'), 'utf8');
		const { code, output } = await release('0.1.0');
		expect({ code, output: code ? output : '' }).toEqual({ code: 0, output: '' });
		expect(ran()).toEqual(['lint', 'test', 'mutants', 'build']);
		const after = readFileSync(join(clone, 'CHANGELOG.md'), 'utf8');
		expect(after).toMatch(/## 0\.1\.0 \(\d{4}-\d\d-\d\d\)\n/);
		expect(after.replace(/\(\d{4}-\d\d-\d\d\)/, '(unreleased)')).toBe(before);
		expect(await well('git', 'ls-remote', 'origin')).toMatch(/refs\/tags\/0\.1\.0$/m);
		expect(await well('git', 'status', '--porcelain')).toBe('');
	});

	test('on GitHub lints, builds, and publishes with provenance or not at all', async () => {
		await well('npm', 'pkg', 'delete', 'private');
		const userconfig = join(folder, 'npmrc');
		writeFileSync(
			userconfig,
			account()
				.map((option) => option.slice(2))
				.join('\n'),
		);
		const env = { GITHUB_ACTIONS: 'true', CI: 'true', npm_config_userconfig: userconfig };
		const { code, output } = await run('npm', ['run', 'release'], { env });
		expect(code).not.toBe(0);
		expect(output).toMatch(/id-token|provenance/);
		expect(ran()).toEqual(expect.arrayContaining(['lint', 'build']));
		expect(published).toEqual([]);
	});
});
