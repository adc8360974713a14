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
import { run } from '../process/process';
import { silent, withProgress, type Log } from '../process/progress';
import { newest, type Release } from './release';

const logFile = path.join(stateRoot, 'install.log');

const needed =
	'it needs 2.5 GB of disk, the npm registry, and its database driver from github.com; where that cannot be ' +
	'reached, a compiler (Debian, Ubuntu: apt-get install python3 make g++; Fedora: dnf install python3 make ' +
	'gcc-c++; macOS: xcode-select --install) and the headers of Node, from nodejs.org or in the folder that ' +
	'npm_config_nodedir names (such as /usr). Then run npm start again';

/**
 * Makes sure that a pinned n8n and its Node are installed beside their lockfile. Does nothing when
 * a stamp says so; otherwise installs all of it in a folder of its own first, because Node looks for
 * what the lab's files import in a half-finished `node_modules` beside them, too.
 *
 * @throws LabError with one line that says what an install needs
 */
export async function ensureLab(
	log: Log = silent,
	{ root, version, modules, lockfile, node }: Release = newest,
): Promise<void> {
	const stampFile = path.join(modules, '.mediagen-lab');
	// Another lockfile, system or processor needs another install.
	const digest = createHash('sha256').update(readFileSync(lockfile)).digest('hex');
	const wanted = `${digest} ${process.platform} ${process.arch}\n`;
	if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return;
	rmSync(logFile, { force: true });
	const staging = path.join(root, '.installing');
	const installed = path.join(staging, 'node_modules');
	rmSync(staging, { recursive: true, force: true });
	mkdirSync(staging);
	for (const file of ['package.json', 'package-lock.json'])
		cpSync(path.join(root, file), path.join(staging, file));
	const flags = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
	const label = `Installing n8n ${version} (first start only, about 3 minutes)`;
	await withProgress(log, label, async () => {
		const step = async (command: string, ...args: string[]) => {
			const { code } = await run(command, args, { cwd: staging, logFile, env: withHeaders() });
			if (code !== 0) throw new LabError(`Installing n8n failed: ${needed}`, shown(logFile));
		};
		await step('npm', 'ci', ...flags);
		const driver = root !== newest.root && copyDriver(installed) ? [] : ['sqlite3'];
		await step('npm', 'rebuild', '--ignore-scripts=false', 'node', ...driver);
		// Only running them shows it: a rebuild that npm was configured to skip reports success.
		await step(path.join(staging, path.relative(root, node)), '-e', "require('sqlite3')");
	});
	rmSync(modules, { recursive: true, force: true });
	renameSync(installed, modules);
	rmSync(staging, { recursive: true });
	writeFileSync(stampFile, wanted);
}

/** Compiling the database driver takes a minute: one of the same version is taken from the newest n8n, if that is there. */
function copyDriver(modules: string): boolean {
	const versionIn = (folder: string) =>
		readFileSync(path.join(folder, 'sqlite3', 'package.json'), 'utf8');
	const built = path.join(newest.modules, 'sqlite3', 'build', 'Release', 'node_sqlite3.node');
	const isSame = existsSync(built) && versionIn(newest.modules) === versionIn(modules);
	if (isSame) cpSync(built, path.join(modules, path.relative(newest.modules, built)));
	return isSame;
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
