/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stateRoot } from '../../lab/process/paths';
import { freePort } from '../../lab/process/ports';
import { Rest } from '../../lab/n8n/rest';
import { demoOwner } from '../../lab/n8n/instance';
import { SandboxAdmin } from '../../lab/sandbox/admin';

/** `npm start` as a person has it: its own state, in a terminal that is a pipe. */
class Start {
	output = '';
	private readonly child: ChildProcess;
	readonly code: Promise<number | null>;

	constructor(
		private readonly world: { folder: string; editor: number; sandbox: number },
		...args: string[]
	) {
		this.child = spawn(process.execPath, ['lab/demo/preflight.cjs', ...args], {
			env: {
				...process.env,
				N8N_PORT: String(world.editor),
				SANDBOX_PORT: String(world.sandbox),
				MEDIAGEN_LAB_STATE: path.join(world.folder, 'state'),
				MEDIAGEN_LAB_OUT: path.join(world.folder, 'out'),
			},
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		this.code = new Promise((resolve) => this.child.on('close', resolve));
		for (const stream of [this.child.stdout, this.child.stderr])
			stream?.on('data', (chunk: Buffer) => {
				this.output += chunk.toString();
			});
	}

	async says(words: string): Promise<void> {
		const ended = this.code.then(() => 'ended');
		while (!this.output.includes(words)) {
			const tick = new Promise((resolve) => setTimeout(resolve, 100));
			if ((await Promise.race([tick, ended])) === 'ended' && !this.output.includes(words))
				throw new Error(`It ended without saying "${words}":\n${this.output}`);
		}
	}

	async interrupt(): Promise<void> {
		this.child.kill('SIGINT');
		await this.code;
	}

	/** As a crash: it can end nothing itself. */
	async kill(): Promise<void> {
		this.child.kill('SIGKILL');
		await this.code;
	}

	async rest(): Promise<Rest> {
		return await Rest.signIn(`http://127.0.0.1:${this.world.editor}`, demoOwner);
	}

	async generations(): Promise<string[]> {
		const answer = await fetch(`http://127.0.0.1:${this.world.sandbox}/v1/generations`, {
			headers: { authorization: 'Bearer mgs_live_studio_all' },
		});
		return ((await answer.json()) as { data: Array<{ id: string }> }).data.map(({ id }) => id);
	}
}

test('npm start says where all is, a second one finds the first, and after a crash the next day keeps what was changed and made', async () => {
	const folder = mkdtempSync(path.join(tmpdir(), 'mediagen-start-'));
	const world = { folder, editor: await freePort(), sandbox: await freePort() };
	// Built and installed already, by the very function that npm start uses: half a minute less.
	const state = path.join(folder, 'state');
	cpSync(path.join(stateRoot, 'package'), path.join(state, 'package'), { recursive: true });
	const editor = `http://127.0.0.1:${world.editor}`;
	const starts: Start[] = [];
	const start = (...args: string[]) => {
		const started = new Start(world, ...args);
		starts.push(started);
		return started;
	};
	const first = start();
	try {
		await first.says('Ctrl-C stops everything');
		expect(readdirSync(path.join(folder, 'out')).sort()).toEqual([
			'generate-image.png',
			'generate-music.wav',
			'generate-speech.wav',
			'generate-video.mp4',
		]);
		const rest = await first.rest();
		const [example] = (await rest.workflows.list()).filter(({ name }) => name.includes(' 1:'));
		const links = [`${editor}/workflow/${example?.id}`, `http://127.0.0.1:${world.sandbox}/`];
		for (const link of [editor, ...links]) expect(first.output).toContain(link);
		for (const link of [editor, ...links]) expect((await fetch(link)).status).toBe(200);
		// The sandbox's page leads to executions in the editor where the person is signed in.
		const sandbox = new SandboxAdmin(`http://127.0.0.1:${world.sandbox}/sandbox`);
		const [creation] = await sandbox.requests();
		expect(creation?.execution).toContain(`${editor}/workflow/${example?.id}/executions/`);

		const second = start();
		expect(await second.code).toBe(0);
		expect(second.output).toContain(`Already running at ${editor}`);
		for (const link of links) expect(second.output).toContain(link);
		const asked = start('--example', '8');
		expect(await asked.code).toBe(0);
		const eighth = (await rest.workflows.list()).find(({ name }) => name.includes(' 8:'));
		expect(asked.output).toContain(`Already running at ${editor}/workflow/${eighth?.id}`);

		const id = String(example?.id);
		const { name, nodes, connections } = await rest.workflows.get(id);
		const mine = nodes.map((node) => (node.name === 'Note' ? { ...node, position: [7, 7] } : node));
		await rest.workflows.update(id, { name, connections, nodes: mine as typeof nodes });
		const made = await first.generations();
		expect(made).toHaveLength(4);
		await first.kill();

		const broken = start();
		await broken.says('Starting n8n');
		await broken.interrupt();
		expect(readdirSync(path.join(state, 'running'))).toEqual([]);

		const nextDay = start();
		await nextDay.says('Ctrl-C stops everything');
		expect(nextDay.output).not.toContain('Building');
		expect(nextDay.output).toContain(`"${name}" was changed, so it stays as it is.`);
		const kept = await (await nextDay.rest()).workflows.get(id);
		expect(kept.nodes.find((node) => node.name === 'Note')?.position).toEqual([7, 7]);
		expect(await nextDay.generations()).toEqual(expect.arrayContaining(made));
		expect(await nextDay.generations()).toHaveLength(8);
		await nextDay.interrupt();
		expect(nextDay.output).toContain('Stopping');
	} finally {
		for (const started of starts) await started.interrupt();
		rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
	}
}, 280_000);
