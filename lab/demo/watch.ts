/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { projectRoot, stateRoot } from '../process/paths';
import { cleanEnvironment, startGuarded } from '../process/process';
import type { Log } from '../process/progress';

/** Makes n8n reload nodes when their compiled files change. */
export const reloading = { N8N_DEV_RELOAD: 'true' };

/**
 * Compiles the nodes into n8n's own copy whenever a source changes, and shows what the compiler
 * says. Icons and codex files are copied at the next start only.
 *
 * @returns stops watching
 */
export function watchSources(userFolder: string, log: Log): () => Promise<void> {
	const nodes = path.join(userFolder, '.n8n', 'nodes');
	// From now on the copy follows the sources, so the next start has to look itself.
	rmSync(path.join(nodes, '.mediagen-sources'), { force: true });
	const dist = path.join(nodes, 'node_modules', 'n8n-nodes-mediagen', 'dist');
	const compiler = startGuarded({
		command: process.execPath,
		args: [
			require.resolve('typescript/bin/tsc'),
			...['-p', 'tsconfig.build.json', '--outDir', dist],
			...['--watch', '--preserveWatchOutput'],
		],
		cwd: projectRoot,
		env: cleanEnvironment(),
		logFile: path.join(stateRoot, 'watch.log'),
		graceMs: 2_000,
	});
	createInterface({ input: compiler.stdout }).on('line', (line) => {
		if (line.trim()) log(line);
	});
	return async () => await compiler.stop();
}
