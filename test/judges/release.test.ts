/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { spawn } from 'child_process';
import {
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'fs';
import { createServer, type Server } from 'http';
import type { AddressInfo } from 'net';
import { tmpdir } from 'os';
import { join } from 'path';
import { gunzipSync } from 'zlib';
import { read, ROOT } from '../support/sources';

interface Publication {
	name: string;
	_attachments: Record<string, { data: string }>;
}

const tarball = 'n8n-nodes-mediagen-0.1.0.tgz';

let registry: Server;
let address: string;
/** A clone in which only `npm ci` has run, with an origin of its own beside it. */
let clone: string;
let folder: string;
const published: Publication[] = [];

/** Without what a test run adds to the environment: a person's shell does not have it. */
const person = Object.fromEntries(
	Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_ENV$|GITHUB_)/i.test(name)),
);

async function run(command: string, args: string[], { cwd = clone, env = {} } = {}) {
	const child = spawn(command, args, { cwd, env: { ...person, ...env } });
	let output = '';
	child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
	child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
	const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
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

const publish = async (args: string[], cwd = clone) =>
	await run('npm', ['publish', ...args, ...account()], { cwd });

/** Names of the files in a tarball. */
function filesIn(packed: Buffer): string[] {
	const tar = gunzipSync(packed);
	const names: string[] = [];
	for (let at = 0; at + 512 <= tar.length && tar[at] !== 0;) {
		const text = (from: number, length: number) =>
			tar.toString('utf8', at + from, at + from + length).replace(/\0.*$/s, '');
		names.push(text(0, 100).replace(/^package\//, ''));
		at += 512 + Math.ceil(parseInt(text(124, 12), 8) / 512) * 512;
	}
	return names;
}

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
			if (request.method === 'PUT') published.push(JSON.parse(body) as Publication);
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
beforeEach(() => {
	published.length = 0;
});

test('npm pack in a clone without the nodes fails, and says what to run', async () => {
	const { code, output } = await run('npm', ['pack']);
	expect(code).not.toBe(0);
	expect(output).toContain('run-npm-run-build-first');
	expect(readdirSync(clone)).not.toContain(tarball);
});

test('npm pack after a build has all that is registered, and is where npm puts it', async () => {
	await well('npm', 'run', 'build');
	await well('npm', 'pack');
	expectPackage(filesIn(readFileSync(join(clone, tarball))));
});

test('nothing comes with the package, in any Node that it supports', async () => {
	const empty = join(folder, 'empty');
	mkdirSync(empty);
	const args = ['install', join(clone, tarball), `--cache=${join(folder, 'cache')}`];
	const { code, output } = await run('npm', args, { cwd: empty });
	expect({ code, output: code ? output : '' }).toEqual({ code: 0, output: '' });
	expect(output).toContain('added 1 package');
	expect(readdirSync(join(empty, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
		'n8n-nodes-mediagen',
	]);
});

test.each([
	['npm publish', []],
	['npm publish --access public', ['--access', 'public']],
	['npm publish --tag next', ['--tag', 'next']],
	['npm publish --force', ['--force']],
	['npm publish --ignore-scripts', ['--ignore-scripts']],
	['npm publish --ignore-scripts=false', ['--ignore-scripts=false']],
	['npm publish --no-provenance', ['--no-provenance']],
	['npm publish .', ['.']],
	['npm publish of a tarball', [tarball]],
	['npm publish of a tarball, --no-provenance', [tarball, '--no-provenance', '--access=public']],
])('%s is refused', async (_, args) => {
	const { code, output } = await publish(args);
	expect(code).not.toBe(0);
	expect(output).toMatch(/EPRIVATE|marked as private/);
	expect(published).toEqual([]);
});

test('npm publish of the folder from elsewhere is refused', async () => {
	const { code, output } = await publish([clone], folder);
	expect(code).not.toBe(0);
	expect(output).toMatch(/EPRIVATE|marked as private/);
	expect(published).toEqual([]);
});

test('npm publish --dry-run publishes nothing', async () => {
	await publish(['--dry-run']);
	await publish([tarball, '--dry-run']);
	expect(published).toEqual([]);
});

test('what publish.yml lifts is all that stands in the way, and provenance is asked for then', async () => {
	expect(read('.github/workflows/publish.yml')).toContain('npm pkg delete private');
	await well('npm', 'pkg', 'delete', 'private');
	const unproven = await publish([]);
	expect(unproven.output).toContain('provenance');
	expect(published).toEqual([]);
	const { code, output } = await publish(['--no-provenance']);
	expect({ code, output: code ? output : '' }).toEqual({ code: 0, output: '' });
	expect(published.map(({ name }) => name)).toEqual(['n8n-nodes-mediagen']);
	const [attachment] = Object.values(published[0]!._attachments);
	expectPackage(filesIn(Buffer.from(attachment!.data, 'base64')));
	await well('git', 'checkout', '--quiet', 'package.json');
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
		expect(await well('git', 'ls-remote', 'origin')).toMatch(/refs\/tags\/0\.1\.0\n/);
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
