/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { execFileSync, spawn } from 'child_process';
import { once } from 'events';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';

import { packSandbox } from '../../sandbox/pack';
import { read, ROOT } from '../support/sources';

const manifest = JSON.parse(read('sandbox/package.json')) as {
	version: string;
	dependencies: Record<string, string>;
	/** What is bundled. */
	devDependencies: Record<string, string>;
};

let folder: string;
let tarball: string;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'mediagen-pack-'));
	tarball = packSandbox(join(folder, 'dist-sandbox'));
});

afterAll(() => rmSync(folder, { recursive: true }));

test('it is a tarball of at most 3 MB, named after its version, with at most five dependencies', () => {
	expect(tarball).toMatch(new RegExp(`/mediagen-sandbox-${manifest.version}\\.tgz$`));
	expect(statSync(tarball).size).toBeLessThan(3_000_000);
	expect(Object.keys(manifest.dependencies).length).toBeLessThanOrEqual(5);
});

test('its dependencies are the ones that the sandbox is tested with', () => {
	const { devDependencies } = JSON.parse(read('package.json')) as {
		devDependencies: Record<string, string>;
	};
	const all = { ...manifest.dependencies, ...manifest.devDependencies };
	for (const [name, range] of Object.entries(all)) {
		expect([name, range]).toEqual([name, devDependencies[name]]);
	}
});

test('it holds the program, what the program reads, and all licences', () => {
	const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' });
	for (const file of [
		...['package.json', 'README.md', 'LICENSE', 'mediagen-sandbox.js', 'page/index.html'],
		...['media/speak.mjs', 'media/fonts/Rubik-SemiBold.ttf', 'media/fonts/OFL.txt'],
	]) {
		expect(listed.split('\n')).toContain(`package/${file}`);
	}
	const licences = readFileSync(
		join(folder, 'dist-sandbox', 'package', 'THIRD-PARTY-LICENSES.txt'),
		'utf8',
	);
	for (const name of Object.keys(manifest.devDependencies)) {
		expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
	}
});

test('unpacked far from the checkout it starts, shows its page and makes a picture and speech', async () => {
	const place = join(folder, 'elsewhere');
	cpSync(join(folder, 'dist-sandbox', 'package'), place, { recursive: true });
	// The dependencies as a package manager would install them; test/judges installs them for real.
	symlinkSync(join(ROOT, 'node_modules'), join(place, 'node_modules'));
	const options = ['--port', '0', '--clock-scale', '1000', '--json'];
	const child = spawn(process.execPath, [join(place, 'mediagen-sandbox.js'), ...options], {
		cwd: place,
	});
	const [line] = (await once(child.stdout, 'data')) as [Buffer];
	const { baseUrl, keys } = JSON.parse(line.toString()) as {
		baseUrl: string;
		keys: Array<{ key: string }>;
	};
	const headers = { authorization: `Bearer ${keys[0]?.key}`, 'content-type': 'application/json' };
	const made = async (path: string, body: object): Promise<string> => {
		const created = await fetch(baseUrl + path, {
			method: 'POST',
			headers,
			body: JSON.stringify(body),
		});
		const { id } = (await created.json()) as { id: string };
		for (;;) {
			const job = (await (await fetch(`${baseUrl}/jobs/${id}`, { headers })).json()) as {
				status: string;
				outputs?: Array<{ url: string }>;
				output?: { url: string };
			};
			const url = job.output?.url ?? job.outputs?.[0]?.url;
			if (job.status === 'completed' && url) return url;
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	};
	const start = async (url: string) =>
		Buffer.from(await (await fetch(url)).arrayBuffer())
			.subarray(0, 4)
			.toString('latin1');
	const picture = { mode: 'image', model: 'studio/image-1', prompt: 'a fox' };
	expect(await start(await made('/generations', picture))).toBe('\x89PNG');
	const speech = { model: 'service/speech-lite', blocks: [{ text: 'Hello' }] };
	expect(await start(await made('/speech', speech))).toBe('RIFF');
	expect(await (await fetch(new URL('/', baseUrl))).text()).toContain('Media Generation Sandbox');
	const film = { mode: 'video', model: 'studio/video-1', prompt: 'a fox' };
	const video = Buffer.from(await (await fetch(await made('/generations', film))).arrayBuffer());
	expect(video.subarray(4, 8).toString()).toBe('ftyp');
	child.kill('SIGTERM');
	expect(await once(child, 'close')).toEqual([0, null]);
});
