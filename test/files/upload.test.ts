/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { Readable } from 'stream';
import { buffer } from 'stream/consumers';
import { readFile } from '../../src/files/localFile';
import { upload } from '../../src/files/upload';
import { statedLength } from '../../src/n8n/n8nHost';
import type { Host, StreamedResponse } from '../../src/transport/host';
import type { SendResult, ApiRequest, NoResponse } from '../../src/base/types';
import { tryAgainOf } from '../../src/n8n/output/errors';
import { answer, LOST } from '../model/answers';
import { hostWith, sourceWith, workspaceWith } from '../model/run';
import { MEDIA } from './support/media';
import { VirtualClock } from '../model/virtualClock';

const PRESIGNED = 'https://put.example/x?signature=canary-signature';

const place = (more: Record<string, unknown> = {}) =>
	answer(201, {
		upload_url: PRESIGNED,
		upload_headers: { 'Content-Type': 'image/png' },
		url: 'https://files.example/1',
		...more,
	});

interface Put {
	url: string;
	headers: Record<string, string>;
	body: string;
}

const NOT_THERE = { status: 404, headers: {}, body: Readable.from(['no']), close: () => {} };

async function send(
	puts: SendResult[],
	created: SendResult[] = [place()],
	source = sourceWith(),
	found: StreamedResponse | NoResponse = NOT_THERE,
) {
	const clock = new VirtualClock();
	const posts: ApiRequest[] = [];
	const sent: Put[] = [];
	const reads: string[] = [];
	const nth = (answers: SendResult[], number: number) =>
		answers[Math.min(number, answers.length) - 1] ?? LOST;
	const post: Host['channel']['send'] = async (request) => {
		posts.push(request);
		return nth(created, posts.length);
	};
	const put: Host['put'] = async (url, headers, { open }) => {
		sent.push({ url, headers, body: String(await buffer((await open()) as Readable)) });
		return nth(puts, sent.length);
	};
	const get: Host['get'] = async (url) => {
		reads.push(url);
		return found;
	};
	const host = hostWith(post, { put, get });
	const file = await readFile(source, host.channel);
	if (!file) throw new Error('cancelled');
	const uploading = upload(host, workspaceWith(clock), {
		field: 'clip',
		file,
		key: 'key',
		lastKey: 'last',
	});
	return { result: await clock.run(uploading), posts, sent, reads };
}

test('name, type and size are sent, the file is uploaded to the given URL, and the final URL is returned', async () => {
	const { result, posts, sent } = await send([answer(200, '')]);
	const url = 'https://files.example/1';
	const file = { url, fileName: 'cat.mp3', mimeType: 'audio/mpeg', size: 3 };
	expect(result).toEqual({ ok: true, value: file });
	const body = { filename: 'cat.mp3', content_type: 'audio/mpeg', size: 3 };
	expect(posts).toMatchObject([{ method: 'POST', path: '/files', body }]);
	expect(sent).toEqual([{ url: PRESIGNED, headers: { 'Content-Type': 'image/png' }, body: 'ID3' }]);
});

test.each([
	['to that URL', 'https://files.example/1'],
	['to a URL that begins so', 'https://files.example/1?upload=1'],
])('a file that is sent %s has its final URL all the same', async (_, upload_url) => {
	for (const url of ['https://files.example/1', upload_url, `${upload_url}&more`]) {
		const { result } = await send(
			[answer(200, '')],
			[place({ upload_url, url, again: upload_url })],
		);
		const file = { url, fileName: 'cat.mp3', mimeType: 'audio/mpeg', size: 3 };
		expect(result).toEqual({ ok: true, value: file });
	}
});

describe('the headers that the service wants', () => {
	const given = async (upload_headers: unknown) =>
		await send([answer(200, '')], [place({ upload_headers })]);

	test('are sent exactly as they are given', async () => {
		const upload_headers = {
			'x-amz-acl': 'private',
			'X-Empty': '',
			'x-amz-meta-tab': 'a\tb',
			'Content-Type': 'image/png',
			'content-length': '3',
			'X-Number': 7,
		};
		const { sent } = await given(upload_headers);
		expect(sent.map(({ headers }) => headers)).toEqual([{ ...upload_headers, 'X-Number': '7' }]);
		expect((await given(undefined)).sent.map(({ headers }) => headers)).toEqual([{}]);
	});

	const CANARY = 'canary-value';
	test.each<[string, unknown, string]>([
		['authorization', { AUTHORIZATION: CANARY }, '"AUTHORIZATION" with it, which is never sent'],
		['a cookie', { cookie: CANARY }, '"cookie"'],
		[
			'another length',
			{ 'Content-Length': '4' },
			'"Content-Length" with it, which is not the 3 bytes',
		],
		[
			'a line break',
			{ 'x-split': `a\r\nx: ${CANARY}` },
			'"x-split" with it, whose value is no text of one line',
		],
		['what no header can hold', { 'x-cat': `猫${CANARY}` }, '"x-cat"'],
		['a header twice', { 'x-a': '1', 'X-A': '2' }, '"X-A" with it, twice'],
		['a list', [{ name: 'x-a', value: CANARY }], 'upload_headers of the service are a list'],
	])('are refused by name before anything is put: %s', async (_what, upload_headers, problem) => {
		const { result, sent, posts } = await given(upload_headers);
		expect(result).toMatchObject({
			failure: { kind: 'upload', field: 'clip', problem: expect.stringContaining(problem) },
		});
		expect(JSON.stringify(result)).not.toContain(CANARY);
		expect(sent).toEqual([]);
		expect(posts).toHaveLength(1);
	});
});

describe('what a file is announced as', () => {
	test('comes from its bytes, not from what is stated', async () => {
		const source = sourceWith({
			fileName: 'clip.png',
			mimeType: 'image/png',
			open: async () => MEDIA.mp4,
		});
		const { posts, result } = await send([answer(200, '')], [place()], source);
		const announced = { filename: 'clip.mp4', content_type: 'video/mp4' };
		expect(posts[0]?.body).toEqual({ ...announced, size: MEDIA.mp4.length });
		expect(result).toMatchObject({ ok: true });
	});

	test.each([
		['nothing', '', 'image/png', 'its file is empty'],
		['a page', '<!doctype html><p>Sign in', 'text/html', 'its file is an HTML page and no media'],
		['no picture', 'Not Found', 'image/png', 'its file says image/png, is text'],
		['no sound', 'data:audio/mpeg;base64,SUQz', 'audio/mpeg', 'its file says audio/mpeg, is text'],
	])(
		'is refused before anything is sent where its file holds %s',
		async (_what, text, mimeType, problem) => {
			const source = sourceWith({ mimeType, open: async () => Readable.from([Buffer.from(text)]) });
			const { result, posts, sent } = await send([answer(200, '')], [place()], source);
			expect(result).toMatchObject({
				failure: { kind: 'upload', field: 'clip', problem: expect.stringContaining(problem) },
			});
			expect([posts, sent]).toEqual([[], []]);
		},
	);
});

test('a transfer that fails is tried four times, all at the one address of its key', async () => {
	const { result, posts, sent } = await send([LOST, answer(503), answer(200, '')]);
	expect(result.ok).toBe(true);
	expect(sent.map(({ url }) => url)).toEqual([PRESIGNED, PRESIGNED, PRESIGNED]);
	expect(posts.map(({ headers }) => headers?.['Idempotency-Key'])).toEqual(['key-1']);
	const never = await send([LOST]);
	expect(never.result).toMatchObject({
		failure: {
			kind: 'upload',
			field: 'clip',
			problem: expect.stringMatching(/^ECONNRESET, after 3 bytes of 3 bytes had gone at /),
		},
	});
	expect(never.sent).toHaveLength(4);
});

test.each<[string, SendResult[], string]>([
	['is away', [LOST], 'later'],
	['answers 503', [answer(503)], 'later'],
	['refuses all addresses', [answer(403)], 'later'],
	['refuses the file', [answer(413)], 'never'],
	['says that it is too large', [answer(400, '<Code>EntityTooLarge</Code>')], 'never'],
])('where the storage %s, the row can work %s', async (_what, puts, tryAgain) => {
	const { result } = await send(puts);
	expect(result.ok || tryAgainOf(result)).toBe(tryAgain);
});

describe.each([403, 412])('an address that answers %i is used up', (status) => {
	const there = (length: string): StreamedResponse => ({
		status: 200,
		headers: {},
		length: statedLength({ 'content-length': length }),
		body: Readable.from(['cat']),
		close: () => {},
	});

	test('it is tried once more, as others get the same one for this file, before a new one is asked for', async () => {
		const once = await send([answer(status), answer(200, '')]);
		expect(once.result).toMatchObject({ ok: true, value: { url: 'https://files.example/1' } });
		expect(once.posts).toHaveLength(1);
		const twice = await send([answer(status), answer(status), answer(200, '')]);
		expect(twice.result.ok).toBe(true);
		expect(twice.sent).toHaveLength(3);
		const keys = twice.posts.map(({ headers }) => headers?.['Idempotency-Key']);
		expect(keys).toEqual(['key-1', 'key-2']);
		expect(twice.reads).toEqual(['https://files.example/1', 'https://files.example/1']);
	});

	test('where what others have got is all used up, one is asked for that nobody else has', async () => {
		const { result, posts } = await send([
			answer(status),
			answer(status),
			answer(status),
			answer(200, ''),
		]);
		expect(result.ok).toBe(true);
		const keys = posts.map(({ headers }) => headers?.['Idempotency-Key']);
		expect(keys).toEqual(['key-1', 'key-2', 'last-3']);
	});

	test('nothing is sent again where an earlier try has arrived after all', async () => {
		const arrived = await send([LOST, answer(status)], [place()], sourceWith(), there('3'));
		expect(arrived.result).toMatchObject({ ok: true, value: { url: 'https://files.example/1' } });
		expect(arrived.sent).toHaveLength(2);
		const other = await send([answer(status)], [place()], sourceWith(), there('2'));
		expect(other.result.ok).toBe(false);
		expect(other.sent).toHaveLength(4);
	});
});

test('an address that may not be read is not read', async () => {
	const url = 'https://10.0.0.1/1';
	const { reads } = await send([answer(403), answer(200, '')], [place({ url })]);
	expect(reads).toEqual([]);
});

test('302 of the storage is final', async () => {
	const { result, sent } = await send([answer(302, '', { location: 'https://b.example' })]);
	expect(result).toMatchObject({ failure: { problem: 'the storage answered 302' } });
	expect(sent).toHaveLength(1);
});

test('400 of the storage is a link of no use, which is renewed once, or a request that took too long', async () => {
	const expired = answer(400, '<Error><Code>ExpiredToken</Code></Error>');
	const renewed = await send([expired, answer(200, '')]);
	expect(renewed.result.ok).toBe(true);
	expect(renewed.posts.map(({ headers }) => headers?.['Idempotency-Key'])).toEqual([
		'key-1',
		'key-2',
	]);
	const never = await send([expired]);
	expect(never.result).toMatchObject({ failure: { problem: 'the storage answered 400' } });
	expect(never.sent).toHaveLength(2);
	const late = answer(400, '<Error><Code>RequestTimeout</Code></Error>');
	const again = await send([late, late, answer(200, '')]);
	expect(again.result.ok).toBe(true);
	expect([again.posts.length, again.sent.length]).toEqual([1, 3]);
});

test('a redirect of the storage is followed with the same headers and the same body, relative ones too', async () => {
	const to = (location: string) => answer(307, '', { location });
	const hops = [to('https://b.example/y?z=1'), to('/w'), answer(200, '')];
	const { result, sent, posts } = await send(hops);
	expect(result.ok).toBe(true);
	expect(posts).toHaveLength(1);
	const put = { headers: { 'Content-Type': 'image/png' }, body: 'ID3' };
	expect(sent).toEqual([
		{ ...put, url: PRESIGNED },
		{ ...put, url: 'https://b.example/y?z=1' },
		{ ...put, url: 'https://b.example/w' },
	]);
});

test('nothing is sent into a private network', async () => {
	const upload_url = 'https://169.254.169.254/x';
	const { result, sent } = await send([answer(200, '')], [place({ upload_url })]);
	const problem = 'the address is in a private network';
	expect(result).toMatchObject({ failure: { kind: 'upload', problem } });
	expect(sent).toHaveLength(0);
});

test('a response without addresses is reported with what it lacks', async () => {
	const { result } = await send([], [answer(201, { object: 'file' })]);
	expect(result).toMatchObject({
		failure: { kind: 'badResponse', problem: 'the response has no upload_url and no url' },
	});
});

test('what the service says about a file is returned, but for what repeats the presigned URL', async () => {
	const again = { upload: { method: 'PUT', url: PRESIGNED }, link: `PUT ${PRESIGNED}` };
	const { result } = await send([answer(200, '')], [place({ id: 'file_1', ...again })]);
	expect(result).toMatchObject({ ok: true, value: { id: 'file_1' } });
	expect(JSON.stringify(result)).not.toMatch(/canary|put\.example/);
});

test('no failure reveals the presigned URL', async () => {
	for (const put of [LOST, answer(403, PRESIGNED), answer(500, PRESIGNED)]) {
		const { result } = await send([put]);
		expect(result.ok).toBe(false);
		expect(JSON.stringify(result)).not.toMatch(/canary|put\.example/);
	}
});

describe('a file on its way', () => {
	const MB = 1_000_000;

	/** A storage that takes so many bytes a second, up to a limit, and answers after a while. */
	const storage = (clock: VirtualClock, rate: number, most = Infinity, answerMs = 0) => {
		const puts: Array<{ url: string; took: number }> = [];
		const put: Host['put'] = async (url, _headers, { open }, end) => {
			const one = { url, took: 0 };
			puts.push(one);
			const late = new Promise<never>((_, reject) =>
				end.addEventListener('abort', () => reject(new Error('over')), { once: true }),
			);
			const taken = async () => {
				for await (const piece of (await open()) as AsyncIterable<Buffer>) {
					await clock.sleep((1_000 * piece.length) / rate);
					one.took += piece.length;
					if (one.took >= most) await new Promise(() => {});
				}
				await clock.sleep(answerMs);
				return answer(200, '');
			};
			return await Promise.race([taken(), late]).catch(() => ({ noResponse: 'timeout' }));
		};
		return { put, puts };
	};

	const uploaded = async (
		bytes: number,
		rate: number,
		most?: number,
		answerMs?: number,
		open?: () => Promise<Buffer | Readable>,
	) => {
		const clock = new VirtualClock();
		const { put, puts } = storage(clock, rate, most, answerMs);
		const host = hostWith(async () => place(), { put });
		const content = Buffer.alloc(bytes, 'a');
		const source = sourceWith({
			open: async () => content,
			mimeType: 'text/plain',
			fileName: 'a.txt',
		});
		const file = await readFile(source, host.channel);
		if (!file) throw new Error('cancelled');
		const sent = { ...file, open: open ?? file.open };
		const started = clock.now();
		const uploading = upload(host, workspaceWith(clock), {
			field: 'clip',
			file: sent,
			key: 'k',
			lastKey: 'l',
		});
		const result = await clock.run(uploading);
		return { result, puts, seconds: (clock.now() - started) / 1_000 };
	};

	test('goes for as long as bytes are taken, and the answer has its own time', async () => {
		const { result, puts, seconds } = await uploaded(2 * MB, 1_000, Infinity, 100_000);
		expect(result.ok).toBe(true);
		expect(puts).toMatchObject([{ took: 2 * MB }]);
		expect(Math.round(seconds)).toBe(2_100);
	});

	test('of which nothing more is taken is given up after a minute, in one try that says so', async () => {
		const { result, puts, seconds } = await uploaded(20 * MB, MB, 5 * MB);
		expect(result).toMatchObject({
			failure: {
				problem: expect.stringMatching(
					/^the storage took nothing more for 60 s, after 5\.\d* MB of 20 MB had gone at 1 MB a second$/,
				),
			},
		});
		expect(puts).toHaveLength(1);
		expect(seconds).toBeLessThan(70);
	});

	test('that n8n does not give is no fault of the storage', async () => {
		const open = async () => new Readable({ read() {} });
		const { result } = await uploaded(MB, MB, Infinity, 0, open);
		expect(result).toMatchObject({
			failure: { problem: 'n8n gave nothing more of the file for 60 s' },
		});
	});

	test('and whose answer does not come goes again, four times in all', async () => {
		const { result, puts, seconds } = await uploaded(MB, MB, Infinity, 1e9);
		expect(result).toMatchObject({
			failure: {
				problem: expect.stringMatching(
					/^the storage gave no answer for 120 s, after 1 MB of 1 MB had gone at /,
				),
			},
		});
		expect(puts).toHaveLength(4);
		expect(seconds).toBeLessThan(500);
	});

	test('goes to where a redirect has led at once in the next try', async () => {
		const to = answer(307, '', { location: 'https://b.example/y' });
		const { result, sent } = await send([to, answer(503), answer(200, '')]);
		expect(result.ok).toBe(true);
		expect(sent.map(({ url }) => url)).toEqual([
			PRESIGNED,
			'https://b.example/y',
			'https://b.example/y',
		]);
		const used = await send([to, answer(403), answer(200, '')]);
		expect(used.sent.map(({ url }) => url)).toEqual([PRESIGNED, 'https://b.example/y', PRESIGNED]);
	});
});
