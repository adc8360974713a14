/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { diskFull, LabError, requireSpace, saysDiskFull } from '../process/failure';
import { shown, stateRoot } from '../process/paths';
import { run, type CommandResult } from '../process/process';
import { silent, withProgress, type Log } from '../process/progress';
import { newest, type Release } from './release';

const logFile = path.join(stateRoot, 'install.log');

/** What an installed n8n takes, with what npm needs beside it while it unpacks. */
const installBytes = 2.5e9;

const compilerNeeded =
	'its database driver has to be compiled, and no compiler was found; install one ' +
	'(Debian, Ubuntu: apt-get install python3 make g++; Fedora: dnf install python3 make gcc-c++; ' +
	'macOS: xcode-select --install) and run npm start again';

const headersNeeded =
	'its database driver has to be compiled, and neither the driver could be downloaded from github.com ' +
	'nor the headers of Node from nodejs.org; allow one of them, or set npm_config_nodedir to a folder with ' +
	'include/node (such as /usr), and run npm start again';

/** What npm's output shows of the usual reasons, in the order in which one hides another. */
const causes: Array<[sign: RegExp, cause: string]> = [
	// No Python, no make, no C++ compiler (a shell's 127), macOS and Windows without their tools. Before
	// the network: the driver is compiled only after its download has failed.
	[
		/ERR! find Python|not found: make|make: \*\*\* .* Error 127|No Xcode|find any Visual Studio/,
		compilerNeeded,
	],
	[/related to network connectivity/, headersNeeded],
	[/EACCES|EPERM/, 'no permission to write into lab/node_modules; make it yours or remove it'],
	[
		/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH/,
		'the npm registry cannot be reached; check the network and run npm start again',
	],
];

export function installCause({ code, output }: CommandResult): string {
	if (saysDiskFull(output)) return diskFull;
	return causes.find(([sign]) => sign.test(output))?.[1] ?? `npm ended with code ${code}`;
}

/**
 * Makes sure that a pinned n8n and its Node are installed beside their lockfile. Does nothing when
 * a stamp says so; otherwise installs all of it.
 *
 * @throws LabError with one line that names the cause, as far as npm's output shows it
 */
export async function ensureLab(log: Log = silent, release = newest): Promise<void> {
	const { root, version, modules, entry, node } = release;
	const stampFile = path.join(modules, '.mediagen-lab');
	// Another lockfile, system or processor needs another install.
	const digest = createHash('sha256').update(readFileSync(release.lockfile)).digest('hex');
	const wanted = `${digest} ${process.platform} ${process.arch}\n`;
	const isStamped = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted;
	if (isStamped && existsSync(entry) && existsSync(node)) return;
	rmSync(logFile, { force: true });
	await requireSpace(root, installBytes);
	const npm = async (label: string, ...args: string[]) => {
		const options = { cwd: root, logFile, env: withHeaders(process.env) };
		const result = await withProgress(log, label, async () => await run('npm', args, options));
		if (result.code === 0) return;
		throw new LabError(`Installing n8n failed: ${installCause(result)}`, shown(logFile));
	};
	const label = `Installing n8n ${version} (first start only, about 3 minutes)`;
	const flags = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
	if (!isUnpacked(release)) await npm(label, 'ci', ...flags);
	const rebuild = ['rebuild', '--ignore-scripts=false', 'node'];
	if (borrowDriver(release)) await npm('Setting up its Node', ...rebuild);
	else {
		const building = "Building n8n's database driver (first start only, about 1 minute)";
		await npm(building, ...rebuild, 'sqlite3');
	}
	// Only running them shows it: a rebuild that npm was configured to skip reports success.
	const { code } = await run(node, ['-e', "require('sqlite3')"], { cwd: root, logFile });
	if (code !== 0) {
		throw new LabError(
			'n8n was installed, but its Node or its sqlite3 does not start on this machine',
			shown(logFile),
		);
	}
	writeFileSync(stampFile, wanted);
}

/** npm writes its hidden lockfile last, so an interrupted `npm ci` leaves none. */
function isUnpacked(release: Release): boolean {
	const written = path.join(release.modules, '.package-lock.json');
	const { mtimeMs = 0 } = statSync(written, { throwIfNoEntry: false }) ?? {};
	return mtimeMs > statSync(release.lockfile).mtimeMs;
}

/**
 * The environment in which npm compiles against the headers that came with the Node that runs this,
 * if they did: then nothing is downloaded from nodejs.org. Those of another release serve as well,
 * because the driver uses Node-API only. Windows needs a library beside them, which does not come with it.
 */
export function withHeaders(
	env: NodeJS.ProcessEnv,
	node = process.execPath,
	platform: NodeJS.Platform = process.platform,
): NodeJS.ProcessEnv {
	const folder = path.resolve(path.dirname(node), '..');
	const hasHeaders = existsSync(path.join(folder, 'include', 'node', 'node_api.h'));
	if (!hasHeaders || platform === 'win32' || env.npm_config_nodedir) return env;
	return { ...env, npm_config_nodedir: folder };
}

/**
 * Takes the database driver of the newest n8n, if that is there and its driver and Node are of the
 * same version: compiling takes a minute.
 */
function borrowDriver(release: Release): boolean {
	const [from, to] = [newest, release].map(({ modules }) => path.join(modules, 'sqlite3'));
	if (release === newest || !from || !to || !existsSync(path.join(from, 'build'))) return false;
	const versionOf = ({ modules }: Release, name: string) => {
		const manifest = readFileSync(path.join(modules, name, 'package.json'), 'utf8');
		return (JSON.parse(manifest) as { version: string }).version;
	};
	const isSame = ['node', 'sqlite3'].every(
		(name) => versionOf(newest, name) === versionOf(release, name),
	);
	if (isSame) cpSync(path.join(from, 'build'), path.join(to, 'build'), { recursive: true });
	return isSame;
}
