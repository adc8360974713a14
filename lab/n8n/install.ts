/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { npm, run, type CommandResult } from '../process/command';
import { diskFull, requireSpace, saysDiskFull } from '../process/disk';
import { LabError } from '../process/failure';
import { shown, stateRoot } from '../process/paths';
import { silent, withProgress, type Log } from '../process/progress';
import { newest, type Release } from './release';

const logFile = path.join(stateRoot, 'install.log');

/** What an installed n8n takes, with what npm needs beside it while it unpacks. */
const installBytes = 2.5e9;

/** No Python, no make, no C++ compiler (a shell's 127), macOS and Windows without their tools. */
const noCompiler =
	/ERR! find Python|not found: make|make: \*\*\* .* Error 127|No Xcode|find any Visual Studio/;

const compilerNeeded =
	'its database driver has to be compiled, and no compiler was found; install one ' +
	'(Debian, Ubuntu: apt-get install python3 make g++; Fedora: dnf install python3 make gcc-c++; ' +
	'macOS: xcode-select --install) and run npm start again';

/** How node-gyp says that it could not download what the driver is compiled against. */
const noHeaders = /related to network connectivity/;

const headersNeeded =
	'its database driver has to be compiled, and neither the driver could be downloaded from github.com ' +
	'nor the headers of Node from nodejs.org; allow one of them, or set npm_config_nodedir to a folder with ' +
	'include/node (such as /usr), and run npm start again';

/**
 * Makes sure that a pinned n8n and its Node are installed beside their lockfile. Does nothing when
 * a stamp of the lockfile says so; otherwise finishes what is missing, from the beginning if need
 * be.
 *
 * @throws LabError with one line that names the cause, as far as npm's output shows it
 */
export async function ensureLab(log: Log = silent, release = newest): Promise<void> {
	const { root, version } = release;
	const stampFile = path.join(release.modules, '.mediagen-lab');
	const wanted = stamp(release);
	const isStamped = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted;
	if (isStamped && filesAreThere(release)) return;
	rmSync(logFile, { force: true });
	const npmStep = async (args: string[]) => {
		const result = await npm(args, { cwd: root, logFile, env: withHeaders(process.env) });
		if (result.code === 0) return;
		throw new LabError(`Installing n8n failed: ${installCause(result)}`, shown(logFile));
	};
	if (!packagesMatchLockfile(release)) {
		await requireSpace(root, installBytes);
		await withProgress(log, `Installing n8n ${version} (first start only, about 3 minutes)`, () =>
			npmStep(['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund']),
		);
	}
	if (!(await binariesWork(release)) && borrowDriver(release)) {
		await withProgress(log, 'Setting up its Node', () => npmStep([...rebuild, 'node']));
	}
	if (!(await binariesWork(release))) {
		await withProgress(
			log,
			"Building n8n's database driver (first start only, about 1 minute)",
			() => npmStep([...rebuild, 'node', 'sqlite3']),
		);
	}
	if (!(await binariesWork(release))) {
		throw new LabError(
			'n8n was installed, but its Node or its sqlite3 does not start on this machine',
			shown(logFile),
		);
	}
	writeFileSync(stampFile, wanted);
}

const rebuild = ['rebuild', '--ignore-scripts=false'];

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
	const versionOf = ({ modules }: Release, name: string): string | undefined => {
		const manifest = path.join(modules, name, 'package.json');
		if (!existsSync(manifest)) return undefined;
		return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
	};
	const isSame = (name: string) => versionOf(release, name) === versionOf(newest, name);
	const [from, to] = [newest, release].map(({ modules }) => path.join(modules, 'sqlite3', 'build'));
	if (release === newest || !from || !to || !existsSync(from)) return false;
	if (!isSame('node') || !isSame('sqlite3')) return false;
	cpSync(from, to, { recursive: true });
	return true;
}

/** Another lockfile, system or processor needs another install. */
function stamp({ lockfile }: Release): string {
	const hash = createHash('sha256').update(readFileSync(lockfile)).digest('hex');
	return `${hash} ${process.platform} ${process.arch}\n`;
}

function filesAreThere({ entry, node }: Release): boolean {
	return existsSync(entry) && existsSync(node);
}

interface Lockfile {
	packages: Record<string, { version?: string; optional?: boolean; peer?: boolean }>;
}

/** npm writes its hidden lockfile last, so what an interrupted `npm ci` left never matches. */
function packagesMatchLockfile({ modules, entry, lockfile }: Release): boolean {
	const hidden = path.join(modules, '.package-lock.json');
	if (!existsSync(hidden) || !existsSync(entry)) return false;
	const read = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as Lockfile).packages;
	const installed = read(hidden);
	return Object.entries(read(lockfile)).every(
		([name, wanted]) =>
			name === '' ||
			wanted.optional === true ||
			wanted.peer === true ||
			installed[name]?.version === wanted.version,
	);
}

/** Only running them shows it: a rebuild that npm was configured to skip reports success. */
async function binariesWork(release: Release): Promise<boolean> {
	if (!filesAreThere(release)) return false;
	const { node, root } = release;
	const { code } = await run(node, ['-e', "require('sqlite3')"], { cwd: root, logFile });
	return code === 0;
}

/** The usual reasons, in the order in which one hides another. */
export function installCause({ code, output }: CommandResult): string {
	if (saysDiskFull(output)) return diskFull;
	// Before the network: the driver is compiled only after its download has failed.
	if (noCompiler.test(output)) return compilerNeeded;
	if (noHeaders.test(output)) return headersNeeded;
	if (/EACCES|EPERM/.test(output)) {
		return 'no permission to write into lab/node_modules; make it yours or remove it';
	}
	if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH/.test(output)) {
		return 'the npm registry cannot be reached; check the network and run npm start again';
	}
	return `npm ended with code ${code}`;
}
