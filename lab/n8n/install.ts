/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { createHash } from 'node:crypto';
import {
	cpSync,
	existsSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { LabError } from '../process/failure';
import { shown, stateRoot } from '../process/paths';
import { cleanEnvironment, run } from '../process/process';
import { silent, withProgress, type Log } from '../process/progress';
import { newest, type Release } from './release';
import { bringsNode, fastInstaller, tools } from './tools';

const logFile = path.join(stateRoot, 'install.log');

/** No script runs, and nothing is asked for that is not installed. */
export const npmFlags = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];

/** The oldest Node that the newest n8n runs in. */
const OLDEST_NODE = 24;

/** Changes with a lockfile, the system or the processor: each of them needs another install. */
function stampOf(...lockfiles: string[]): string {
	const hash = createHash('sha256');
	for (const lockfile of lockfiles) hash.update(readFileSync(lockfile));
	return `${hash.digest('hex')} ${process.platform} ${process.arch}\n`;
}

const stampIn = (modules: string) => path.join(modules, '.mediagen-lab');

function isInstalled(modules: string, stamp: string): boolean {
	const file = stampIn(modules);
	return existsSync(file) && readFileSync(file, 'utf8') === stamp;
}

/** Whether an n8n is installed as its lockfile says. */
export const hasLab = ({ modules, lockfile }: Release = newest): boolean =>
	isInstalled(modules, stampOf(lockfile, tools.lockfile));

/**
 * Makes sure that a pinned n8n is installed beside its lockfile, with what runs it. Does nothing when
 * a stamp says so; otherwise installs all of it in a staging folder first, because Node looks for
 * what the lab's files import in a half-finished `node_modules` beside them, too.
 *
 * @throws LabError with one line that says what an install needs
 */
export async function ensureLab(log: Log = silent, release: Release = newest): Promise<void> {
	if (hasLab(release)) return;
	if (!bringsNode && Number(process.versions.node.split('.')[0]) < OLDEST_NODE)
		throw new LabError(
			`n8n needs Node ${OLDEST_NODE} or newer, and no package brings it for this system: install it, ` +
				'then run npm start again',
		);
	const { root, version } = release;
	const label = `Installing n8n ${version} (first start only, less than a minute)`;
	await withProgress(log, label, async () => {
		const driver = async (staging: string) =>
			await installDriver(staging, tools.driver, tools.node);
		await install(root, stampOf(release.lockfile, tools.lockfile), driver);
	});
}

/**
 * Makes sure that what a folder's lockfile says is installed in it, with the lab's fast installer.
 *
 * @throws LabError with one line that says what an install needs
 */
export async function ensurePackages(folder: string): Promise<void> {
	const stamp = stampOf(path.join(folder, 'package-lock.json'));
	if (!isInstalled(path.join(folder, 'node_modules'), stamp)) await install(folder, stamp);
}

/** @param finish runs in the staging folder, before what is in it is moved to its place */
async function install(
	root: string,
	stamp: string,
	finish?: (staging: string) => Promise<void>,
): Promise<void> {
	// The staging folder stays at the end: ESLint, which may be reading it just then, fails on a folder that
	// goes away.
	const staging = path.join(root, '.installing');
	rmSync(staging, { recursive: true, force: true });
	mkdirSync(staging);
	for (const file of ['package.json', 'package-lock.json'])
		cpSync(path.join(root, file), path.join(staging, file));
	await installTools();
	await installPackages(staging, fastInstaller());
	await finish?.(staging);
	const modules = path.join(root, 'node_modules');
	rmSync(modules, { recursive: true, force: true });
	renameSync(path.join(staging, 'node_modules'), modules);
	writeFileSync(stampIn(modules), stamp);
}

/** Runs a command whose output is in the log of the install, and says whether it went well. */
async function succeeds(
	cwd: string,
	command: string,
	args: string[],
	env?: NodeJS.ProcessEnv,
): Promise<boolean> {
	const { code } = await run(command, args, { cwd, logFile, env });
	return code === 0;
}

async function installWithNpm(folder: string): Promise<void> {
	if (await succeeds(folder, 'npm', ['ci', ...npmFlags])) return;
	throw new LabError(
		'Installing packages failed: it needs the npm registry, and 2.5 GB of disk for n8n. Try again once it has both',
		shown(logFile),
	);
}

/**
 * Installs what installs and runs n8n. A package with another digest than the lockfile's ends it. The
 * driver is no optional dependency: npm leaves those out whose `engines` exclude the Node that runs
 * npm, though the driver runs in the Node that is installed here.
 */
async function installTools(): Promise<void> {
	const stamp = stampOf(tools.lockfile);
	if (isInstalled(tools.modules, stamp)) return;
	await installWithNpm(tools.root);
	if (!existsSync(tools.node))
		throw new LabError(
			'Installing the Node that runs n8n failed: it needs the npm registry. Then run npm start again',
			shown(logFile),
		);
	writeFileSync(stampIn(tools.modules), stamp);
}

/**
 * Installs what a package-lock.json says: with bun, which takes a fifth of npm's time, or else with
 * npm itself. Bun makes a lockfile of its own from npm's: nothing is fetched before each package in
 * it was found in npm's, with the same version and digest. It checks the digests, as npm does.
 */
export async function installPackages(folder: string, bun: string | undefined): Promise<void> {
	if (bun !== undefined && (await succeedsWithBun(folder, bun))) return;
	await installWithNpm(folder);
}

async function succeedsWithBun(folder: string, bun: string): Promise<boolean> {
	const args = ['install', '--ignore-scripts', '--no-progress'];
	// Here files are hard-linked instead of copied, and linters, watchers and test runners do not look. It
	// stays: it takes no room of its own, is deleted with the packages, also by npm ci, and to delete it here
	// would take seconds of CPU time.
	const cache = path.join(folder, 'node_modules', '.cache', 'bun');
	const env = { ...process.env, BUN_INSTALL_CACHE_DIR: cache, DO_NOT_TRACK: '1' };
	return (
		(await succeeds(folder, bun, [...args, '--lockfile-only'], env)) &&
		strangersIn(folder).length === 0 &&
		(await succeeds(folder, bun, [...args, '--frozen-lockfile'], env))
	);
}

/** What bun would install though npm's lockfile does not have it, with the same digest. */
export function strangersIn(folder: string): string[] {
	const text = (file: string) => readFileSync(path.join(folder, file), 'utf8');
	interface NpmLock {
		packages: Record<string, { name?: string; version?: string; integrity?: string }>;
	}
	const { packages } = JSON.parse(text('package-lock.json')) as NpmLock;
	const known = new Set<string>();
	for (const [place, { name, version, integrity }] of Object.entries(packages)) {
		const called = name ?? place.split('node_modules/').at(-1) ?? '';
		known.add(`${called}@${version} ${integrity}`);
	}
	// JSON, but with commas after the last entries.
	const json = text('bun.lock').replace(/,(\s*[}\]])/g, '$1');
	type Entry = [nameAndVersion: string, registry: string, details: object, integrity: string];
	const own = (JSON.parse(json) as { packages: Record<string, Entry> }).packages;
	const wanted = Object.values(own).map(([called, , , integrity]) => `${called} ${integrity}`);
	return wanted.filter((one) => !known.has(one));
}

/**
 * Lays the compiled database driver under sqlite3's own JavaScript; where it does not run, it is
 * compiled, which takes a minute of a processor.
 *
 * @param node runs n8n later, so the driver has to run in it
 */
export async function installDriver(folder: string, driver: string, node: string): Promise<void> {
	const target = path.join(folder, 'node_modules', 'sqlite3', 'build', 'Release');
	const question =
		"new (require('sqlite3').Database)(':memory:').get('select 1 as one', (error, row) => " +
		'process.exit(!error && row.one === 1 ? 0 : 1))';
	const runs = async () => await succeeds(folder, node, ['-e', question], cleanEnvironment());
	if (existsSync(driver)) {
		cpSync(driver, path.join(target, 'node_sqlite3.node'));
		if (await runs()) return;
		rmSync(target, { recursive: true });
	}
	await succeeds(folder, 'npm', ['rebuild', '--ignore-scripts=false', 'sqlite3'], withHeaders());
	// Only running it shows it: a rebuild that npm was configured to skip reports success.
	if (await runs()) return;
	throw new LabError(
		"n8n's database driver does not run here and could not be compiled: that needs a compiler (Debian, " +
			'Ubuntu: apt-get install python3 make g++; Fedora: dnf install python3 make gcc-c++; macOS: ' +
			'xcode-select --install) and the headers of Node, from nodejs.org or in the folder that ' +
			'npm_config_nodedir names (such as /usr). Then run npm start again',
		shown(logFile),
	);
}

/**
 * The environment in which npm compiles against the headers that came with the Node that runs this,
 * if they did: then nothing is downloaded from nodejs.org. Those of another release serve as well,
 * because the driver uses Node-API only. Windows needs a library beside them, which does not come with it.
 */
function withHeaders(): NodeJS.ProcessEnv {
	const folder = path.resolve(path.dirname(process.execPath), '..');
	const hasHeaders = existsSync(path.join(folder, 'include', 'node', 'node_api.h'));
	const isUsed = hasHeaders && process.platform !== 'win32';
	return { ...(isUsed && { npm_config_nodedir: folder }), ...process.env };
}
