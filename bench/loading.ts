/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import execa from 'execa';
import path from 'node:path';
import manifest from '../package.json';
import { atMost, median, type Figure } from './table';

const ROUNDS = 9;

const root = path.resolve(__dirname, '..');

/** Requires all nodes in a fresh process that has loaded what n8n itself has long loaded; milliseconds. */
function load(): number {
	const script = `
		require('n8n-workflow');
		const started = performance.now();
		for (const node of ${JSON.stringify(manifest.n8n.nodes)}) require('./' + node);
		process.stdout.write(String(performance.now() - started));`;
	return Number(execa.sync(process.execPath, ['-e', script], { cwd: root }).stdout);
}

/** Bytes of the package as it is published. */
function tarballSize(): number {
	const pack = ['pack', '--dry-run', '--ignore-scripts', '--json', '--silent'];
	const [{ size }] = JSON.parse(execa.sync('npm', pack, { cwd: root }).stdout) as [
		{ size: number },
	];
	return size;
}

/** What installing and loading the package costs, as it is published. It must have been built. */
export function loading(): Figure[] {
	const kilobytes = tarballSize() / 1_000;
	const ms = median(Array.from({ length: ROUNDS }, load));
	const note = `${manifest.n8n.nodes.length} nodes, fresh process with n8n-workflow loaded, median of ${ROUNDS}`;
	return [
		atMost('require of all nodes', ms, 35, { digits: 0, unit: ' ms', note }),
		atMost('tarball', kilobytes, 140, { digits: 0, unit: ' kB' }),
	];
}
