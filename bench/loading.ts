/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import execa from 'execa';
import path from 'node:path';
import manifest from '../package.json';
import { atMost, median, type Figure } from './table';

const ROUNDS = 9;

const root = path.resolve(__dirname, '..');

/**
 * Requires n8n-workflow, which n8n itself has long loaded, and then all nodes, in a fresh process: the time
 * for the nodes over that for n8n-workflow.
 */
function load(): number {
	const script = `
		const begun = performance.now();
		require('n8n-workflow');
		const loaded = performance.now();
		for (const node of ${JSON.stringify(manifest.n8n.nodes)}) require('./' + node);
		process.stdout.write(String((performance.now() - loaded) / (loaded - begun)));`;
	return Number(execa.sync(process.execPath, ['-e', script], { cwd: root }).stdout);
}

/** Bytes of the package as it is published. */
function tarballSize(): number {
	const pack = ['pack', './dist/package', '--dry-run', '--json', '--silent'];
	const [{ size }] = JSON.parse(execa.sync('npm', pack, { cwd: root }).stdout) as [
		{ size: number },
	];
	return size;
}

/** What installing and loading the package costs, as it is published. It must have been built. */
export function loading(): Figure[] {
	const kilobytes = tarballSize() / 1_000;
	const ratio = median(Array.from({ length: ROUNDS }, load));
	const note = `${manifest.n8n.nodes.length} nodes, in a fresh process, median of ${ROUNDS}`;
	return [
		atMost('require of all nodes over that of n8n-workflow', ratio, 0.18, { note }),
		atMost('tarball', kilobytes, 140, { digits: 0, unit: ' kB' }),
	];
}
