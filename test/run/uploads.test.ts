/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { Readable } from 'stream';
import { createJob } from '../../src/run/creation';
import { IDEMPOTENCY_MODES, type Item } from '../../src/run/item';
import { runOperation } from '../../src/run/operations';
import { Run } from '../../src/run/run';
import { BinaryReference, openRequest } from '../../src/run/uploads';
import type { BinarySource } from '../../src/service/host';
import type { ApiRequest } from '../../src/base/types';
import { answer } from '../model/answers';
import { hostWith, runOf, sourceWith, workspaceWith, type RunParts } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const body = {
	mode: 'image',
	model: 'm',
	prompt: 'a cat',
	input: { image_refs: [new BinaryReference('data')] },
};
const request: ApiRequest = { method: 'POST', path: '/generations', body };

/** A file that n8n keeps somewhere, with these bytes. */
const stored = (id: string, text: string, more: Partial<BinarySource> = {}) =>
	sourceWith({ id, open: async () => Readable.from([Buffer.from(text)]), ...more });

const place = { upload_url: 'https://put.example/x', url: 'https://files.example/x' };

const itemWith = (source: BinarySource, more: Partial<RunParts> = {}): Item => {
	const host = hostWith(
		async ({ path }) => (path === '/files' ? answer(201, place) : answer(202)),
		{ binary: async () => source, put: async () => answer(200, '') },
	);
	return runOf({ host, workspace: workspaceWith(new VirtualClock()), request, ...more });
};

describe.each(IDEMPOTENCY_MODES)(
	'with %s, a file in the fingerprint of a request',
	(idempotency) => {
		const settings = { idempotency, idempotencyKey: 'own' };
		const fingerprintOf = async (source: BinarySource) => {
			const opened = await openRequest(itemWith(source, { settings }));
			if (!opened.ok) throw new Error('not opened');
			return opened.value.requestFingerprint;
		};

		test('is its content, wherever n8n keeps it and whatever it is called', async () => {
			const one = await fingerprintOf(stored('filesystem-v2:1', 'picture'));
			const moved = { fileName: 'other.png' };
			expect(await fingerprintOf(stored('filesystem-v2:2', 'picture', moved))).toBe(one);
			const inMemory = sourceWith({ open: async () => Buffer.from('picture') });
			expect(await fingerprintOf(inMemory)).toBe(one);
			expect(await fingerprintOf(stored('filesystem-v2:1', 'pictures'))).not.toBe(one);
		});
	},
);

test('a request whose fields come in another order is the same one', async () => {
	const fingerprintOf = async (asked: object) => {
		const item = itemWith(stored('filesystem-v2:1', 'picture'), {
			request: { ...request, body: asked },
		});
		const opened = await openRequest(item);
		return opened.ok ? opened.value.requestFingerprint : '';
	};
	const { mode, model, prompt, input } = body;
	const parameters = { seed: 1, size: '1x1' };
	const turned = { size: '1x1', seed: 1 };
	const one = await fingerprintOf({ mode, model, prompt, input, parameters });
	expect(await fingerprintOf({ parameters: turned, input, prompt, model, mode })).toBe(one);
	expect(await fingerprintOf({ mode, model, prompt, input, parameters: { seed: 2 } })).not.toBe(
		one,
	);
});

test.each(['', '<!doctype html><p>Sign in', '{"error": "gone"}'])(
	'a file that holds %j is refused before anything is sent',
	async (text) => {
		const sent: ApiRequest[] = [];
		const host = hostWith(
			async (asked) => {
				sent.push(asked);
				return answer(202);
			},
			{ binary: async () => stored('filesystem-v2:1', text) },
		);
		for (const dryRun of [false, true]) {
			const result = await runOperation(itemWith(sourceWith(), { host, settings: { dryRun } }));
			expect(result).toMatchObject({ failure: { kind: 'upload', field: 'data' } });
		}
		expect(sent).toEqual([]);
	},
);

describe('the files of 300 items, each second of which shares that of the one before', () => {
	function run() {
		const clock = new VirtualClock();
		const workspace = workspaceWith(clock);
		const theRun = new Run(300, false);
		const seen = { open: 0, most: 0, opened: [] as string[], requests: [] as number[] };
		const host = (name: string) =>
			hostWith(
				async ({ path }) => {
					seen.requests.push(clock.monotonic());
					return path === '/files' ? answer(201, place) : answer(202);
				},
				{
					put: async () => answer(200, ''),
					binary: async () =>
						sourceWith({
							id: name,
							async open() {
								seen.opened.push(name);
								seen.open += 1;
								seen.most = Math.max(seen.most, seen.open);
								await clock.sleep(1_000);
								seen.open -= 1;
								return Buffer.from(`picture ${name}`);
							},
						}),
				},
			);
		const items = Array.from({ length: 300 }, (_, itemIndex) =>
			itemWith(sourceWith(), {
				host: host(String(Math.floor(itemIndex / 2))),
				workspace,
				run: theRun,
				itemIndex,
				settings: { waitForCompletion: false },
			}),
		);
		return { clock, seen, items, began: clock.monotonic() };
	}

	test('are read five at a time, each once', async () => {
		const { clock, seen, items, began } = run();
		const opened = await clock.run(Promise.all(items.map(async (item) => await openRequest(item))));
		expect(opened.every(({ ok }) => ok)).toBe(true);
		expect(seen.opened).toHaveLength(150);
		expect(seen.most).toBe(5);
		expect(clock.monotonic() - began).toBe(30_000);
	});

	test('hold up the first request no longer than a few of them take', async () => {
		const { clock, seen, items, began } = run();
		const [first, ...others] = items.map(async (item) => await createJob(item));
		expect(await clock.run(first as NonNullable<typeof first>)).toMatchObject({ ok: true });
		expect((seen.requests[0] ?? Infinity) - began).toBeLessThanOrEqual(2_000);
		await clock.run(Promise.all(others));
		expect(seen.most).toBe(5);
	});
});

test('a run that is cancelled reads no further file', async () => {
	const abort = new AbortController();
	let opened = 0;
	const source = sourceWith({
		id: 'filesystem-v2:1',
		async open() {
			opened += 1;
			abort.abort();
			return Readable.from([Buffer.from('picture')]);
		},
	});
	const item = itemWith(source);
	item.host.channel.signal = abort.signal;
	expect(await openRequest(item)).toMatchObject({ failure: { kind: 'cancelled' } });
	expect(await openRequest(itemWith(source, { host: item.host }))).toMatchObject({
		failure: { kind: 'cancelled' },
	});
	expect(opened).toBe(1);
});
