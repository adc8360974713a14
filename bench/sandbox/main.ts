/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { spawn, type ChildProcess } from 'child_process';
import { join } from 'path';

import { fire, measure, type Shot } from './load';

const ROUNDS = 15;
const REQUESTS = 1500;
const KEY = { authorization: 'Bearer mgs_live_studio_all' };

interface Server {
	baseUrl: string;
	child: ChildProcess;
}

async function start(script: string, ...options: string[]): Promise<Server> {
	const child = spawn(process.execPath, ['--import', 'tsx', script, ...options], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const line = await new Promise<string>((resolve, reject) => {
		child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
		child.once('exit', () => reject(new Error(`${script} ended.`)));
	});
	return { baseUrl: (JSON.parse(line) as { baseUrl: string }).baseUrl, child };
}

async function startSandbox(): Promise<Server> {
	const main = join(__dirname, '..', '..', 'src', 'sandbox', 'main.ts');
	return await start(main, '--port', '0', '--seed', '1', '--json');
}

/**
 * Empties a sandbox, lifts the limits that would stop a bench, and stores that many generations.
 */
async function fill({ baseUrl }: Server, stored: number): Promise<string> {
	const admin = baseUrl.replace('/v1', '/sandbox');
	const send = async (method: string, path: string, body: object) =>
		await fetch(admin + path, {
			method,
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
	const most = 1_000_000_000;
	await send('POST', '/reset', {});
	await send('PATCH', '/settings', { requestsPerMinute: most, concurrentJobs: most });
	await send('POST', '/credits', { workspace: 'studio', amount: most });
	let id = '';
	for (let index = 0; index < stored; index += 1) {
		const text = await fire(create(baseUrl));
		// One from the middle: neither the newest nor the oldest.
		if (index === stored >> 1) id = (JSON.parse(text) as { id: string }).id;
	}
	return id;
}

const read = (baseUrl: string, id: string): Shot => ({
	method: 'GET',
	url: `${baseUrl}/generations/${id}`,
	headers: KEY,
	expect: 200,
});

const create = (baseUrl: string): Shot => ({
	method: 'POST',
	url: `${baseUrl}/generations`,
	headers: KEY,
	body: JSON.stringify({ mode: 'image', model: 'studio/image-1', prompt: 'a fox' }),
	expect: 202,
});

function median(values: number[]): number {
	return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}

/**
 * Requests a second of the sandbox with 100 and with 10,000 jobs stored, against a bare express
 * route in the same run. The columns take turns, so that a slow moment of the machine hits all of
 * them.
 */
async function main(): Promise<void> {
	const bare = await start(join(__dirname, 'bare.ts'));
	const few = await startSandbox();
	const many = await startSandbox();
	const figures = new Map<string, number[]>();
	try {
		const old = await fill(many, 10_000);
		for (let round = 0; round <= ROUNDS; round += 1) {
			// What the last round added goes, so that it is 100 again; the other one only grows.
			const young = await fill(few, 100);
			const columns: Record<string, Shot> = {
				'GET bare': read(bare.baseUrl, 'gen_1'),
				'GET 100': read(few.baseUrl, young),
				'GET 10,000': read(many.baseUrl, old),
				'POST bare': create(bare.baseUrl),
				'POST 100': create(few.baseUrl),
				'POST 10,000': create(many.baseUrl),
			};
			for (const [name, shot] of Object.entries(columns)) {
				const figure = await measure(shot, REQUESTS);
				// The first round only warms up.
				if (round > 0) figures.set(name, [...(figures.get(name) ?? []), figure]);
			}
		}
	} finally {
		for (const { child } of [bare, few, many]) child.kill('SIGTERM');
	}
	report((name) => median(figures.get(name) ?? []));
}

function report(figure: (name: string) => number): void {
	const rows = ['GET', 'POST'].map((verb) => {
		const bare = figure(`${verb} bare`);
		const few = figure(`${verb} 100`);
		const many = figure(`${verb} 10,000`);
		return {
			request: verb === 'GET' ? 'GET /generations/{id}' : 'POST /generations',
			'bare express/s': Math.round(bare),
			'100 stored/s': Math.round(few),
			'10,000 stored/s': Math.round(many),
			'10,000 : bare (>= 0.5)': (many / bare).toFixed(2),
			'10,000 : 100 (>= 0.9)': (many / few).toFixed(2),
		};
	});
	console.table(rows);
}

void main();
