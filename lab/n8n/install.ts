/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { npm, run, type CommandResult } from '../process/command';
import { diskFull, requireSpace, saysDiskFull } from '../process/disk';
import { LabError } from '../process/failure';
import { labNode, labRoot, n8nEntry, shown, stateRoot } from '../process/paths';
import { silent, withProgress, type Log } from '../process/progress';

const modules = path.join(labRoot, 'node_modules');
const stampFile = path.join(modules, '.mediagen-lab');
const logFile = path.join(stateRoot, 'install.log');

/** What an installed n8n takes, with what npm needs beside it while it unpacks. */
const installBytes = 2.5e9;

/** No Python, no make, no C++ compiler (a shell's 127), macOS and Windows without their tools. */
const noCompiler =
	/find Python|not found: make|make: \*\*\* .* Error 127|No Xcode|find any Visual Studio/;

const compilerNeeded =
	'its database driver has to be compiled, and no compiler was found; install one ' +
	'(Debian, Ubuntu: apt-get install python3 make g++; Fedora: dnf install python3 make gcc-c++; ' +
	'macOS: xcode-select --install) and run npm start again';

/**
 * Makes sure that the pinned n8n and its Node are installed in `lab/node_modules`. Does nothing when
 * a stamp of the lockfile says so; otherwise finishes what is missing, from the beginning if need be.
 *
 * @throws LabError with one line that names the cause, as far as npm's output shows it
 */
export async function ensureLab(log: Log = silent): Promise<void> {
	const wanted = stamp();
	if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted && filesAreThere())
		return;
	rmSync(logFile, { force: true });
	if (!packagesMatchLockfile()) {
		await requireSpace(labRoot, installBytes);
		await withProgress(
			log,
			`Installing n8n ${n8nVersion()} (first start only, about 3 minutes)`,
			() => npmStep(['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund']),
		);
	}
	if (!(await binariesWork())) {
		await withProgress(
			log,
			"Building n8n's database driver (first start only, about 1 minute)",
			() => npmStep(['rebuild', '--ignore-scripts=false', 'node', 'sqlite3']),
		);
	}
	if (!(await binariesWork())) {
		throw new LabError(
			'n8n was installed, but its Node or its sqlite3 does not start on this machine',
			shown(logFile),
		);
	}
	writeFileSync(stampFile, wanted);
}

/** The version of n8n that the lab pins. */
function n8nVersion(): string {
	const manifest = JSON.parse(readFileSync(path.join(labRoot, 'package.json'), 'utf8')) as {
		dependencies: { n8n: string };
	};
	return manifest.dependencies.n8n;
}

/** Another lockfile, system or processor needs another install. */
function stamp(): string {
	const lockfile = readFileSync(path.join(labRoot, 'package-lock.json'));
	const hash = createHash('sha256').update(lockfile).digest('hex');
	return `${hash} ${process.platform} ${process.arch}\n`;
}

function filesAreThere(): boolean {
	return existsSync(n8nEntry) && existsSync(labNode());
}

interface Lockfile {
	packages: Record<string, { version?: string; optional?: boolean; peer?: boolean }>;
}

/** npm writes its hidden lockfile last, so what an interrupted `npm ci` left never matches. */
function packagesMatchLockfile(): boolean {
	const hidden = path.join(modules, '.package-lock.json');
	if (!existsSync(hidden) || !existsSync(n8nEntry)) return false;
	const read = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as Lockfile).packages;
	const installed = read(hidden);
	return Object.entries(read(path.join(labRoot, 'package-lock.json'))).every(
		([name, wanted]) =>
			name === '' ||
			wanted.optional === true ||
			wanted.peer === true ||
			installed[name]?.version === wanted.version,
	);
}

/** Only running them tells: a rebuild that npm was told to skip reports success. */
async function binariesWork(): Promise<boolean> {
	if (!filesAreThere()) return false;
	const { code } = await run(labNode(), ['-e', "require('sqlite3')"], { cwd: labRoot, logFile });
	return code === 0;
}

async function npmStep(args: string[]): Promise<void> {
	const result = await npm(args, { cwd: labRoot, logFile });
	if (result.code !== 0)
		throw new LabError(`Installing n8n failed: ${installCause(result)}`, shown(logFile));
}

/** The usual reasons, in the order in which one hides another. */
export function installCause({ code, output }: CommandResult): string {
	if (saysDiskFull(output)) return diskFull;
	// Before the network: the driver is compiled only after its download has failed.
	if (noCompiler.test(output)) return compilerNeeded;
	if (/EACCES|EPERM/.test(output)) {
		return 'no permission to write into lab/node_modules; make it yours or remove it';
	}
	if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH/.test(output)) {
		return 'the npm registry cannot be reached; check the network and run npm start again';
	}
	return `npm ended with code ${code}`;
}
