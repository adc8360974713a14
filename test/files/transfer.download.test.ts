/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { Readable } from 'stream';
import { download, type Output } from '../../src/files/transfer';
import { statedLength } from '../../src/n8n/n8nHost';
import type { Host, StreamedResponse } from '../../src/transport/host';
import type { NoResponse } from '../../src/base/types';
import { LOST } from '../model/answers';
import { hostWith, workspaceWith } from '../model/run';
import { MEDIA } from './support/media';
import { VirtualClock } from '../model/virtualClock';

const SIGNED = 'https://media.example/a.png?signature=canary-signature';

type Answer = StreamedResponse | NoResponse;

/** An answer as n8n gives it: to close it ends its body with an error, unless that was read. */
const answered = (
	code: number,
	headers: Record<string, string>,
	body: Readable,
): StreamedResponse & { body: Readable } => ({
	status: code,
	headers,
	length: statedLength(headers),
	body,
	close: () => void body.destroy(),
});

/** A picture, as far as anybody looks. */
const PICTURE = 'GIF89a picture';

const file = (text = PICTURE, headers: Record<string, string> = {}) =>
	answered(
		200,
		{ 'content-length': String(text.length), 'content-type': 'image/gif', ...headers },
		Readable.from([Buffer.from(text)]),
	);

const lost = () => LOST as NoResponse;

const status = (code: number, headers: Record<string, string> = {}) =>
	answered(code, headers, Readable.from(['<Error>no</Error>']));

const broken = () =>
	answered(
		200,
		file().headers,
		new Readable({
			read() {
				this.destroy(new Error('socket hang up'));
			},
		}),
	);

/**
 * A body that brings a piece every few milliseconds, as given, and with `Infinity` stalls for an hour
 * after the first.
 */
function paced(clock: VirtualClock, piece: Buffer, everyMs: number, pieces = Infinity) {
	let given = 0;
	const body = new Readable({
		read() {
			given += 1;
			if (given > pieces) return void this.push(null);
			if (given === 1) return void this.push(piece);
			if (everyMs < Infinity) clock.after(everyMs, () => this.push(piece));
			else clock.after(3_600_000, () => this.push(null));
		},
	});
	return answered(200, {}, body);
}

/** Reads the stream to its end, as n8n does. */
const store: Host['store'] = async (body, fileName, mimeType) => {
	const chunks: Buffer[] = [];
	for await (const chunk of body) chunks.push(Buffer.from(chunk as string));
	const data = Buffer.concat(chunks);
	return { data: data.toString(), fileName, mimeType };
};

/** Beside the output itself: how n8n stores it, and the end of the execution. */
interface Circumstances {
	store: Host['store'];
	signal: AbortSignal;
}

async function fetchOutput(
	given: Answer[] | ((clock: VirtualClock) => Answer[]),
	{ store: keep = store, signal, ...more }: Partial<Output & Circumstances> = {},
) {
	const clock = new VirtualClock();
	const answers = typeof given === 'function' ? given(clock) : given;
	const started = clock.now();
	const asked: string[] = [];
	let renewals = 0;
	const get: Host['get'] = async (url) => {
		asked.push(url);
		return answers[Math.min(asked.length, answers.length) - 1] ?? lost();
	};
	const output: Output = {
		id: 'out_1',
		url: SIGNED,
		mediaType: 'image/gif',
		stem: 'gen_1',
		renew: async () => {
			renewals += 1;
			return 'https://media.example/fresh.png';
		},
		...more,
	};
	const host = hostWith(async () => LOST, { get, store: keep });
	host.channel.signal = signal;
	const result = await clock.run(download(host, workspaceWith(clock), output));
	return { result, asked, renewals, answers, took: clock.now() - started };
}

test('a whole file has our name and the media type that the service states', async () => {
	const { result } = await fetchOutput([file(PICTURE, { 'content-type': 'text/plain' })]);
	expect(result).toEqual({
		ok: true,
		value: { data: PICTURE, fileName: 'gen_1.gif', mimeType: 'image/gif' },
	});
});

test.each([
	['cut in the middle', broken],
	['lost', lost],
	['a 500', () => status(500)],
])('%s: fetched again, at most four times, and never told with its link', async (_name, fault) => {
	const third = await fetchOutput([fault(), fault(), file()]);
	expect(third.result).toMatchObject({ ok: true, value: { data: PICTURE } });
	expect(third.asked).toHaveLength(3);
	const never = await fetchOutput([fault(), fault(), fault(), fault()]);
	expect(never.result).toMatchObject({ failure: { kind: 'download', outputId: 'out_1' } });
	expect(never.asked).toHaveLength(4);
	expect(JSON.stringify(never.result)).not.toMatch(/canary|media\.example/);
});

test.each(['7', '30'])(
	'what came packed is whole, though its length is still that of the packed bytes, such as %s',
	async (length) => {
		// n8n has unpacked it and dropped `content-encoding`.
		const packed = file('GIF89a unpacked', { 'content-length': length });
		const { result, asked } = await fetchOutput([packed]);
		expect(result).toMatchObject({ ok: true, value: { data: 'GIF89a unpacked' } });
		expect(asked).toHaveLength(1);
	},
);

test('a file that grows larger than any is given up and not tried again', async () => {
	const piece = Buffer.alloc(1024 * 1024, 'GIF8');
	const bomb = answered(200, { 'content-length': '1000' }, Readable.from(Array(3_072).fill(piece)));
	let kept = 0;
	const { result, asked } = await fetchOutput([bomb], {
		async store(body) {
			for await (const chunk of body) kept += (chunk as unknown as Buffer).length;
			throw new Error('read to its end');
		},
	});
	expect(result).toMatchObject({
		failure: { problem: 'the file is larger than 2147483648 bytes' },
	});
	expect(asked).toHaveLength(1);
	expect(kept).toBeLessThanOrEqual(2_147_483_648);
	expect(bomb.body.destroyed).toBe(true);
});

test('a file that promises to be larger than any is not begun', async () => {
	const huge = file('x', { 'content-length': '3000000000' });
	const { result, asked } = await fetchOutput([huge, file()]);
	expect(result).toMatchObject({
		failure: { problem: expect.stringMatching(/^the file has 3000000000/) },
	});
	expect(asked).toHaveLength(1);
	expect(huge.body.destroyed).toBe(true);
});

describe('a body that does not come', () => {
	const big = Buffer.alloc(64 * 1024, 'GIF8');

	test.each([
		['stands still', Infinity, Buffer.from('x')],
		['dribbles', 1_000, Buffer.from('x')],
	])('and %s is given up after a minute, closed, and fetched again', async (_, every, piece) => {
		const { result, asked, answers, took } = await fetchOutput((clock) => [
			paced(clock, piece, every, 300),
			file(),
		]);
		expect(result).toMatchObject({ ok: true, value: { data: PICTURE } });
		expect(asked).toHaveLength(2);
		expect(took).toBeGreaterThanOrEqual(60_000);
		expect(took).toBeLessThan(65_000);
		expect(answers[0]).toMatchObject({ body: { destroyed: true } });
	});

	test('fast, is waited for: a slow line still brings a large video', async () => {
		const { result, asked, took } = await fetchOutput((clock) => [paced(clock, big, 50_000, 40)]);
		expect(result.ok).toBe(true);
		expect(asked).toHaveLength(1);
		expect(took).toBeGreaterThan(1_900_000);
	});

	test('to an end, is given up after two hours', async () => {
		const timeout = jest.spyOn(AbortSignal, 'timeout');
		try {
			const { result, asked } = await fetchOutput((clock) => {
				timeout.mockImplementation((ms) => {
					const deadline = new AbortController();
					clock.after(ms, () => deadline.abort());
					return deadline.signal;
				});
				return [1, 2, 3, 4].map(() => paced(clock, big, 50_000));
			});
			expect(result).toMatchObject({ failure: { problem: 'the transfer took too long' } });
			expect(asked).toHaveLength(4);
			expect(timeout).toHaveBeenCalledWith(7_200_000);
		} finally {
			timeout.mockRestore();
		}
	});
});

test('cancelled in the middle of a body: at once, its connection is closed', async () => {
	const abort = new AbortController();
	const stuck = (clock: VirtualClock) => {
		clock.after(5_000, () => abort.abort());
		return [paced(clock, Buffer.from('x'), Infinity)];
	};
	const { result, answers, took } = await fetchOutput(stuck, { signal: abort.signal });
	expect(result).toMatchObject({ failure: { kind: 'cancelled' } });
	expect(took).toBe(5_000);
	expect(answers[0]).toMatchObject({ body: { destroyed: true } });
});

test('a 429 of the storage is retried after its Retry-After, up to the cap', async () => {
	const asked = await fetchOutput([status(429, { 'retry-after': '30' }), file()]);
	expect(asked.took).toBeGreaterThanOrEqual(30_000);
	expect(asked.took).toBeLessThan(31_001);
	const capped = await fetchOutput([status(503, { 'retry-after': '99999' }), file()]);
	expect(capped.took).toBeLessThan(121_001);
});

test.each([403, 404])(
	'a link that answers %i is renewed whenever it has expired, within the attempts',
	async (code) => {
		const good = await fetchOutput([status(code), file()]);
		expect(good.result.ok).toBe(true);
		expect(good.renewals).toBe(1);
		expect(good.asked).toEqual([SIGNED, 'https://media.example/fresh.png']);

		// Expired before the first attempt, and again while it was fetched.
		const twice = await fetchOutput([status(code), file()], { expiresAt: 0 });
		expect(twice.result.ok).toBe(true);
		expect(twice.renewals).toBe(2);

		const bad = await fetchOutput([status(code)]);
		expect(bad.result).toMatchObject({ failure: { problem: `the storage answered ${code}` } });
		expect(bad.renewals).toBe(3);
		expect(bad.asked).toHaveLength(4);
	},
);

test('400 of the storage is a link of no use, which is renewed once, or a request that took too long', async () => {
	const said = (code: string) => answered(400, {}, Readable.from([`<Error><Code>${code}</Code>`]));
	const renewed = await fetchOutput([said('ExpiredToken'), file()]);
	expect(renewed.result.ok).toBe(true);
	expect(renewed.asked).toEqual([SIGNED, 'https://media.example/fresh.png']);
	const never = await fetchOutput([said('ExpiredToken'), said('ExpiredToken'), file()]);
	expect(never.result).toMatchObject({ failure: { problem: 'the storage answered 400' } });
	expect([never.asked.length, never.renewals]).toEqual([2, 1]);
	const late = () => said('RequestTimeout');
	const again = await fetchOutput([late(), late(), file()]);
	expect(again.result.ok).toBe(true);
	expect([again.asked.length, again.renewals]).toEqual([3, 0]);
});

describe('what n8n cannot store', () => {
	const failing =
		(error: Error, read = 1): Host['store'] =>
		async (body) => {
			for await (const chunk of body) if (read > 0 && chunk) throw error;
			throw error;
		};
	const coded = (code: string) => Object.assign(new Error(`${code}: /home/node`), { code });

	test.each([
		[coded('ENOSPC'), 'its disk is full (ENOSPC)'],
		[Object.assign(new Error('x'), { cause: coded('EROFS') }), 'it may not write there (EROFS)'],
		[new Error('Binary data is too large'), 'Binary data is too large'],
	])('is said as such, after one attempt (%#)', async (error, why) => {
		for (const read of [0, 1]) {
			const { result, asked } = await fetchOutput([file()], { store: failing(error, read) });
			expect(result).toMatchObject({
				failure: { kind: 'download', problem: `n8n could not store the file: ${why}` },
			});
			expect(asked).toHaveLength(1);
		}
	});
});

test('five files at a time in a process, and executions take turns', async () => {
	const clock = new VirtualClock();
	const workspace = workspaceWith(clock);
	let now = 0;
	let most = 0;
	const begun: string[] = [];
	const fetchAll = (execution: string, count: number) => {
		const get: Host['get'] = async () => {
			begun.push(execution);
			most = Math.max(most, (now += 1));
			await clock.sleep(1_000);
			now -= 1;
			return file();
		};
		const host = hostWith(async () => LOST, { get, store }, execution);
		return Array.from({ length: count }, async (_, index) => {
			const output = { id: `${index}`, url: SIGNED, stem: 'x', renew: async () => undefined };
			return await download(host, workspace, output);
		});
	};
	const started = clock.now();
	const all = [...fetchAll('large', 100), ...fetchAll('small', 2)];
	const results = await clock.run(Promise.all(all));
	expect(results.filter(({ ok }) => ok)).toHaveLength(102);
	expect(most).toBe(5);
	expect(clock.now() - started).toBeLessThan(25_000);
	expect(begun.slice(0, 10)).toContain('small');
	expect(begun.slice(0, 10).filter((execution) => execution === 'small')).toHaveLength(2);
});

describe('redirects are checked hop by hop', () => {
	const to = (location: string) => status(302, { location });

	test('an allowed one is followed, relative ones too', async () => {
		const hops = [to('/b.png'), to('https://cdn.example/c.png'), file()];
		const { result, asked } = await fetchOutput(hops);
		expect(result.ok).toBe(true);
		expect(asked).toEqual([SIGNED, 'https://media.example/b.png', 'https://cdn.example/c.png']);
	});

	test.each([
		['https://169.254.169.254/', 'the address is in a private network'],
		['', 'a redirect without an address'],
	])('to %p: %s', async (location, problem) => {
		const { result, asked } = await fetchOutput([to(location), file()]);
		expect(result).toMatchObject({ ok: false, failure: { kind: 'download', problem } });
		expect(asked).toHaveLength(1);
	});

	test('more than five are too many', async () => {
		const { result, asked } = await fetchOutput([to('/again')]);
		expect(result).toMatchObject({ failure: { problem: 'too many redirects' } });
		expect(asked).toHaveLength(6);
	});
});

test.each([
	['a part', 'the storage answered 206', () => answered(206, {}, Readable.from(['pic']))],
	['nothing', 'the file is empty', () => file('')],
])('%s is not the file', async (_what, problem, given) => {
	const { result } = await fetchOutput([given(), given(), given(), given()]);
	expect(result).toMatchObject({ failure: { kind: 'download', problem } });
});

const HTML = '<!doctype html><title>Sign in</title>';

test.each([
	['a login', HTML, 'text/html; charset=utf-8'],
	['a login that is served as the picture', `\ufeff\n ${HTML}`, 'image/png'],
	['an error of the storage', '<Error><Code>AccessDenied</Code></Error>', 'image/png'],
	['a text that is served as a page', 'Please sign in', 'text/html'],
	['a data URL', 'data:image/gif;base64,R0lGODlh', 'image/gif'],
	['a sentence', 'Not Found', 'image/gif'],
	['an archive', 'PK\x03\x04', 'application/octet-stream'],
])('%s has its link renewed, and is never taken for the file', async (_what, text, type) => {
	const page = () => file(text, { 'content-type': type });
	const { result, renewals } = await fetchOutput([page(), file()]);
	expect(result).toMatchObject({ value: { data: PICTURE } });
	expect(renewals).toBe(1);
	const never = await fetchOutput([page(), page(), page(), page()]);
	expect(never.result).toMatchObject({
		failure: {
			kind: 'download',
			problem: expect.stringMatching(
				/^(a page came instead of the file|what came says image\/gif, is (text|an archive))$/,
			),
		},
	});
	expect(never.asked).toHaveLength(2);
});

/** What comes as which type, where which type is stated, and its name then. */
const NAMED: Array<[string, string | Buffer, string, string, string]> = [
	['a JPEG', MEDIA.jpeg, 'image/png', 'image/png', 'gen_1.jpg'],
	['a drawing', '<svg/>', 'image/svg+xml', 'image/png', 'gen_1.svg'],
	['subtitles', 'WEBVTT', 'text/html', 'text/vtt', 'gen_1.vtt'],
	['a plan', '{"a": 1}', 'application/json', 'application/json', 'gen_1.json'],
	['zeros', Buffer.alloc(64), 'application/octet-stream', 'application/octet-stream', 'gen_1.bin'],
];

test.each(NAMED)('%s is the file, and named by what it is', async (...row) => {
	const [, content, type, mediaType, fileName] = row;
	const url = SIGNED.replace('.png', '.exe');
	const given = answered(200, { 'content-type': type }, Readable.from([Buffer.from(content)]));
	const { result } = await fetchOutput([given], { url, mediaType });
	expect(result).toMatchObject({ ok: true, value: { fileName } });
});
