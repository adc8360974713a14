import { create } from '../../src/creation/creation';
import type { IdempotencyMode } from '../../src/creation/item';
import type { OperationSpec } from '../../src/creation/operationSpec';
import { newMemory, type NodeMemory } from '../../src/creation/idempotency/itemState';
import { BinaryReference } from '../../src/files/localFile';
import { ENDPOINTS, type Endpoint } from '../../src/api';
import { runItem } from '../../src/n8n/runOperation';
import type { BinarySource } from '../../src/transport/host';
import { isRecord, type SendResult } from '../../src/base/types';
import { answer, LOST } from '../model/answers';
import { hostWith, runAll, runOf, sourceWith, workspaceWith, type RunParts } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

/*
 * The same bytes go out once, for all items of a run and whoever goes on with it. Here a service that keeps
 * keys as the specification says, and a storage that may fail.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Where bytes stand: each row has a file of its own, as after a download per row, or all share one. */
const FILES: Record<string, (row: number) => BinarySource> = {
	'in the items': () => sourceWith(),
	'stored once': () => sourceWith({ id: 'filesystem-v2:1' }),
	'stored for each row': (row) => sourceWith({ id: `filesystem-v2:${row}` }),
	'named differently': (row) => sourceWith({ fileName: `${row}.mp3` }),
	'in another field of each row': () => sourceWith(),
};

function world() {
	const clock = new VirtualClock();
	const workspace = workspaceWith(clock, { requestsPerMinute: 100_000, concurrentJobs: 1_000 });
	/** Keys end after 24 hours. */
	const byKey = new Map<string, { made: SendResult; at: number }>();
	let number = 0;
	const seen = {
		posts: [] as string[],
		puts: 0,
		underWay: 0,
		most: 0,
		urls: new Set<string>(),
		bodies: [] as unknown[],
	};
	/** What the storage says to a PUT, and the service to a creation. */
	const answers = {
		put: (number: number): SendResult => answer(number > 0 ? 200 : 500, ''),
		create: ((): SendResult => answer(202)) as (method?: string) => SendResult,
		file: {} as Record<string, unknown>,
	};
	const send = async ({
		path,
		headers,
		body,
		method,
	}: Parameters<RunParts['host']['channel']['send']>[0]) => {
		if (path === '/files') {
			const key = String(headers?.['Idempotency-Key']);
			seen.posts.push(key);
			const known = byKey.get(key);
			if (known && clock.now() - known.at < DAY_MS) return known.made;
			number += 1;
			const url = `https://files.example/${number}`;
			const made = answer(201, { upload_url: `${url}/put`, url, ...answers.file });
			byKey.set(key, { made, at: clock.now() });
			return made;
		}
		if (method === 'POST' && isRecord(body)) {
			seen.bodies.push(body);
			for (const urls of Object.values((body.input ?? {}) as Record<string, string[]>))
				for (const url of urls) seen.urls.add(url);
		}
		return answers.create(method);
	};
	const hostOf = (source: BinarySource, signal?: AbortSignal) => {
		const host = hostWith(send, {
			binary: async () => source,
			async put() {
				seen.puts += 1;
				const number = seen.puts;
				seen.underWay += 1;
				seen.most = Math.max(seen.most, seen.underWay);
				await clock.sleep(MINUTE_MS);
				seen.underWay -= 1;
				return answers.put(number);
			},
		});
		return { ...host, channel: { ...host.channel, signal } };
	};
	return { clock, workspace, seen, answers, hostOf };
}

const nodeMemory = (runId = 'run'): NodeMemory => ({ runId, items: {} });

interface Asked extends Partial<RunParts> {
	mode?: IdempotencyMode;
	rows?: number;
	/** Number of the first row: in each round of a loop others come. */
	from?: number;
	files?: (row: number) => BinarySource;
	field?: (row: number) => string;
	signal?: AbortSignal;
}

const runRows = (
	{ clock, workspace, hostOf }: ReturnType<typeof world>,
	{
		mode = 'execution',
		rows = 100,
		from = 0,
		files = () => sourceWith(),
		field = () => 'data',
		signal,
		...more
	}: Asked = {},
) => {
	const shared = more.nodeMemory ?? nodeMemory();
	const partsOf = (row: number): RunParts => ({
		host: hostOf(files(row), signal),
		workspace,
		nodeMemory: shared,
		request: {
			method: 'POST',
			path: '/generations',
			body: {
				prompt: `row ${from + row}`,
				input: { image_refs: [new BinaryReference(field(row))] },
			},
		},
		...more,
		origin: { place: `${from}:${row}`, ...more.origin },
		settings: {
			waitForCompletion: false,
			idempotency: mode,
			idempotencyKey: `key ${from + row}`,
			...more.settings,
		},
	});
	return clock.run(runAll(rows, partsOf, create));
};

const MODES: IdempotencyMode[] = ['execution', 'content', 'custom', 'none'];

describe.each(MODES)('Avoid Paying Twice: %s', (mode) => {
	test.each(Object.entries(FILES))(
		'100 rows with the same file, %s: it goes out once, and all name the same URL',
		async (where, files) => {
			const at = world();
			const field = (row: number) => (where.includes('another field') ? `file${row}` : 'data');
			const made = await runRows(at, { mode, files, field });
			expect(made.every(({ ok }) => ok)).toBe(true);
			expect([at.seen.posts.length, at.seen.puts]).toEqual([1, 1]);
			expect([...at.seen.urls]).toEqual(['https://files.example/1']);
			expect(at.seen.bodies).toHaveLength(100);
		},
	);

	test('other bytes, and the same bytes as another type, go out by themselves', async () => {
		const at = world();
		const texts = ['ID3 a', 'ID3 b', 'ID3 a'];
		const files = (row: number) => sourceWith({ open: async () => Buffer.from(texts[row] ?? '') });
		await runRows(at, { mode, rows: 3, files });
		expect([at.seen.posts.length, at.seen.puts, at.seen.urls.size]).toEqual([2, 2, 2]);
	});

	test('what cannot be sent is sent again for the next row, and spoils none that it has not met', async () => {
		const at = world();
		at.answers.put = (number) => answer(number === 1 ? 418 : 200, '');
		const made = await runRows(at, { mode });
		const failed = made.flatMap((one) => (one.ok ? [] : [one.failure]));
		expect(failed).toEqual([
			{ kind: 'upload', field: 'data', problem: 'the storage answered 418' },
		]);
		expect(at.seen.puts).toBe(2);
		expect(at.seen.most).toBe(1);
	});

	test('a storage that takes nothing fails each row, two waits for five of them', async () => {
		const at = world();
		at.answers.put = () => answer(418, '');
		const field = (row: number) => `file${row}`;
		const began = at.clock.monotonic();
		const made = await runRows(at, { mode, rows: 20, field });
		expect(made.map((one) => !one.ok && one.failure)).toEqual(
			made.map((_, row) => ({
				kind: 'upload',
				field: `file${row}`,
				problem: 'the storage answered 418',
			})),
		);
		expect(at.seen.puts).toBeLessThanOrEqual(20);
		expect(at.clock.monotonic() - began).toBe(8 * MINUTE_MS);
	});

	test('Retry On Fail and a further round of a loop use it again', async () => {
		const at = world();
		const shared = nodeMemory();
		at.answers.create = () => answer(402);
		await runRows(at, { mode, rows: 3, nodeMemory: shared });
		at.answers.create = () => answer(202);
		await runRows(at, { mode, rows: 3, nodeMemory: shared });
		expect([at.seen.posts.length, at.seen.puts, at.seen.urls.size]).toEqual([1, 1, 1]);
	});

	test.each(['2025-12-31T23:50:00Z', '2026-01-01T00:01:30Z'])(
		'rows that need it at once share it though it ends at %s by a clock that is not ours',
		async (end) => {
			const at = world();
			at.answers.file = { expires_at: end };
			await runRows(at, { mode });
			expect([at.seen.puts, at.seen.urls.size]).toEqual([1, 1]);
		},
	);

	test.each([
		['24 hours', {}, 24 * 60],
		['what the service says', { expires_at: '2026-01-01T02:00:00Z' }, 119],
	])('after %s it is sent again', async (_, more, minutes) => {
		const at = world();
		at.answers.file = more;
		const shared = nodeMemory();
		const ask = async (row: number) =>
			await runRows(at, { mode, rows: 1, from: row, nodeMemory: shared });
		await ask(0);
		await at.clock.run(at.clock.sleep((minutes - 3) * MINUTE_MS));
		await ask(1);
		expect(at.seen.puts).toBe(1);
		await at.clock.run(at.clock.sleep(3 * MINUTE_MS));
		await ask(2);
		expect(at.seen.puts).toBe(2);
	});

	test.each([
		['a refused request', () => answer(400)],
		['one that is refused in a way that is in no contract', () => answer(415)],
		[
			'a job that failed',
			() => answer(202, { id: 'gen_1', object: 'generation', status: 'failed' }),
		],
	])('after %s it is sent again, as the service may have dropped it', async (_, refusal) => {
		const at = world();
		const shared = nodeMemory();
		at.answers.create = refusal;
		await runRows(at, { mode, rows: 1, nodeMemory: shared });
		at.answers.create = () => answer(202);
		await runRows(at, { mode, rows: 1, nodeMemory: shared });
		expect(at.seen.puts).toBe(2);
	});

	test('a request that names a new URL after a 429 is sent again with that one', async () => {
		const at = world();
		at.answers.file = { expires_at: '2026-01-01T00:02:00Z' };
		// The address of the first upload is used up.
		at.answers.put = (number) => answer([2, 3].includes(number) ? 403 : 200, '');
		const replies = [answer(429), answer(429)];
		at.answers.create = (method) => (method === 'POST' ? (replies.shift() ?? LOST) : answer(404));
		const more = { mode, rows: 1, nodeMemory: nodeMemory(), memory: newMemory() };
		await runRows(at, more);
		const tries = at.seen.bodies.length;
		await runRows(at, more);
		if (mode !== 'none') expect(at.seen.bodies.length).toBeGreaterThan(tries);
		const named = at.seen.bodies.map((body) => /files.example.\d/.exec(JSON.stringify(body))?.[0]);
		const [first, second] = [...new Set(named)];
		expect(named).toEqual([first, first, ...named.slice(2).map(() => second)]);
		expect(second).toBeDefined();
	});

	test('whoever waits goes on where the one that sends is stopped', async () => {
		const at = world();
		const stop = new AbortController();
		const shared = nodeMemory();
		const first = runRows(at, { mode, rows: 1, nodeMemory: shared, signal: stop.signal });
		const second = runRows(at, { mode, rows: 1, from: 1, nodeMemory: shared });
		await at.clock.run(at.clock.sleep(1_000));
		stop.abort();
		const [[stopped], [other]] = await Promise.all([first, second]);
		expect(stopped).toMatchObject({ failure: { kind: 'cancelled' } });
		expect(other?.ok).toBe(true);
	});

	test('another execution sends it itself: what this one knows of it is not its own', async () => {
		const at = world();
		await runRows(at, { mode, rows: 2, nodeMemory: nodeMemory('one') });
		await runRows(at, { mode, rows: 2, from: 2, nodeMemory: nodeMemory('two') });
		expect(at.seen.puts).toBe(2);
	});

	test('another workspace is sent it too', async () => {
		const at = world();
		const shared = nodeMemory();
		await runRows(at, { mode, rows: 1, nodeMemory: shared });
		const other = { ...at, workspace: workspaceWith(at.clock) };
		await runRows(other, { mode, rows: 1, from: 1, nodeMemory: shared });
		expect(at.seen.puts).toBe(2);
	});
});

test('the next click in the editor uses it again, which is Same Request there', async () => {
	const at = world();
	const click = async (prompt: string) =>
		await runRows(at, {
			mode: 'content',
			rows: 3,
			nodeMemory: nodeMemory(prompt),
			origin: { mode: 'manual' },
		});
	await click('one');
	await click('two');
	expect([at.seen.posts.length, at.seen.puts, at.seen.urls.size]).toEqual([1, 1, 1]);
});

test.each(['content', 'custom'] as const)(
	'%s: whatever else a row stands among, in whatever process, its request is the same to the byte',
	async (mode) => {
		const [one, other] = [world(), world()];
		await runRows(one, { mode, rows: 3, nodeMemory: nodeMemory('one') });
		await runRows(other, {
			mode,
			rows: 1,
			nodeMemory: nodeMemory('two'),
			files: () => sourceWith({ fileName: 'x' }),
		});
		expect(other.seen.posts).toEqual(one.seen.posts);
		expect(other.seen.bodies[0]).toEqual(one.seen.bodies[0]);
	},
);

test.each(['content', 'custom'] as const)(
	'%s: for as long as the key of a request lives it names the same URL, however old the upload is',
	async (mode) => {
		const at = world();
		const ask = async (from: number, runId: string) =>
			await runRows(at, { mode, rows: 1, from, nodeMemory: nodeMemory(runId) });
		await ask(0, 'monday');
		await at.clock.run(at.clock.sleep(20 * 60 * MINUTE_MS));
		await ask(1, 'tuesday');
		// The key of the upload is over, that of the request is not.
		await at.clock.run(at.clock.sleep(10 * 60 * MINUTE_MS));
		await ask(1, 'tuesday again');
		const [, first, again] = at.seen.bodies;
		expect(again).toEqual(first);
		await at.clock.run(at.clock.sleep(14 * 60 * MINUTE_MS));
		await ask(1, 'the day after');
		expect(at.seen.bodies[3]).not.toEqual(first);
	},
);

const UPLOAD: OperationSpec = { endpoint: ENDPOINTS.createFile as Endpoint, output: 'file' };

test('MediaGen File: Upload sends the same bytes of one name once in an execution, and a new click sends them anew', async () => {
	const at = world();
	const upload = async (runId: string, names: string[]) => {
		const shared = nodeMemory(runId);
		const partsOf = (row: number): RunParts => ({
			host: at.hostOf(sourceWith({ fileName: names[row] })),
			workspace: at.workspace,
			nodeMemory: shared,
			spec: UPLOAD,
			origin: { mode: 'manual' },
			request: { method: 'POST', path: '/files', body: { file: new BinaryReference('data') } },
		});
		return await at.clock.run(runAll(names.length, partsOf, runItem));
	};
	const made = await upload('one', ['a.mp3', 'a.mp3', 'b.mp3']);
	const rows = made.map((one) => one.ok && one.value.resources[0]);
	expect(rows).toMatchObject([
		{ url: 'https://files.example/1', fileName: 'a.mp3' },
		{ url: 'https://files.example/1', fileName: 'a.mp3' },
		{ url: 'https://files.example/2', fileName: 'b.mp3' },
	]);
	expect(at.seen.puts).toBe(2);
	await upload('two', ['a.mp3']);
	expect(at.seen.puts).toBe(3);
});

test('what is remembered of 10,000 rows does not grow with their files', async () => {
	const at = world();
	const shared = nodeMemory();
	await runRows(at, { rows: 20, nodeMemory: shared });
	expect(JSON.stringify(shared)).not.toContain('upload_url');
	for (const memory of Object.values(shared.items)) expect(memory).not.toHaveProperty('uploads');
	expect(runOf({ host: at.hostOf(sourceWith()), workspace: at.workspace }).memory).toEqual({
		state: { is: 'new', keyNumber: 0 },
	});
});
