import { Readable } from 'stream';
import { download, type Output } from '../../../src/transport/binary/download';
import type { Host, StreamedAnswer } from '../../../src/transport/host';
import type { LostAnswer } from '../../../src/transport/types';
import { LOST } from '../../support/answers';
import { BASE_URL, hostWith, workspaceWith } from '../../support/run';
import { VirtualClock } from '../../support/virtualClock';

const SIGNED = 'https://media.example/a.png?signature=canary-signature';

type Given = StreamedAnswer | LostAnswer;

const file = (text = 'picture', headers: Record<string, string> = {}): StreamedAnswer => ({
	status: 200,
	headers: { 'content-length': String(text.length), 'content-type': 'image/png', ...headers },
	body: Readable.from([Buffer.from(text)]),
});

const status = (code: number, headers: Record<string, string> = {}): StreamedAnswer => ({
	status: code,
	headers,
	body: Readable.from(['<Error>no</Error>']),
});

const broken = (): StreamedAnswer => ({
	...file(),
	body: new Readable({
		read() {
			this.destroy(new Error('socket hang up'));
		},
	}),
});

/** Reads the stream to its end, as n8n does. */
const store: Host['store'] = async (body, fileName, mimeType) => {
	const chunks: Buffer[] = [];
	for await (const chunk of body) chunks.push(Buffer.from(chunk as string));
	const data = Buffer.concat(chunks);
	return { data: { data: data.toString(), fileName, mimeType }, size: data.length };
};

async function fetchOutput(answers: Given[], more: Partial<Output> = {}, baseUrl = BASE_URL) {
	const clock = new VirtualClock();
	const asked: string[] = [];
	let renewals = 0;
	const get: Host['get'] = async (url) => {
		asked.push(url);
		return answers[Math.min(asked.length, answers.length) - 1] ?? (LOST as LostAnswer);
	};
	const output: Output = {
		id: 'out_1',
		url: SIGNED,
		mediaType: 'image/png',
		stem: 'gen_1',
		renew: async () => {
			renewals += 1;
			return 'https://media.example/fresh.png';
		},
		...more,
	};
	const host = hostWith(async () => LOST, { get, store, baseUrl });
	const result = await clock.run(download(host, workspaceWith(clock), output));
	return { result, asked, renewals };
}

test('a whole file has our name and the media type that the service states', async () => {
	const { result } = await fetchOutput([file('picture', { 'content-type': 'text/html' })]);
	expect(result).toEqual({
		ok: true,
		value: { data: 'picture', fileName: 'gen_1.png', mimeType: 'image/png' },
	});
});

test('without a stated type the answer tells, and without both it is bytes', async () => {
	const told = await fetchOutput([file('x', { 'content-type': 'audio/mpeg' })], {
		mediaType: undefined,
	});
	expect(told.result).toMatchObject({ value: { fileName: 'gen_1.mp3', mimeType: 'audio/mpeg' } });
	const untold = await fetchOutput([file('x', { 'content-type': '<b>' })], { mediaType: '..' });
	expect(untold.result).toMatchObject({
		value: { fileName: 'gen_1.bin', mimeType: 'application/octet-stream' },
	});
});

test.each([
	['cut in the middle', () => broken()],
	['shorter than promised', () => file('pict', { 'content-length': '7' })],
	['longer than promised', () => file('picture and more', { 'content-length': '7' })],
	['lost', () => LOST as LostAnswer],
	['a 500', () => status(500)],
	['a 429', () => status(429)],
])('%s: again, and never a wrong file', async (_name, fault) => {
	const { result, asked } = await fetchOutput([fault(), fault(), file()]);
	expect(result).toMatchObject({ ok: true, value: { data: 'picture' } });
	expect(asked).toHaveLength(3);
});

test('a transfer that never succeeds is a failure after 4 tries, which does not tell the link', async () => {
	for (const fault of [
		broken,
		() => file('x', { 'content-length': '9' }),
		() => LOST as LostAnswer,
	]) {
		const { result, asked } = await fetchOutput([fault(), fault(), fault(), fault()]);
		expect(asked).toHaveLength(4);
		expect(result).toMatchObject({ ok: false, failure: { kind: 'download', outputId: 'out_1' } });
		expect(JSON.stringify(result)).not.toMatch(/canary|media\.example/);
	}
});

test('a packed answer counts other bytes: its length is not held against it', async () => {
	const packed = file('unpacked picture', { 'content-length': '7', 'content-encoding': 'gzip' });
	expect((await fetchOutput([packed])).result.ok).toBe(true);
});

test('an answer without a length is taken as it comes', async () => {
	const chunked = { ...file(), headers: {} };
	expect((await fetchOutput([chunked])).result.ok).toBe(true);
});

test.each([401, 403, 404, 410])('a link that answers %i is renewed once', async (code) => {
	const good = await fetchOutput([status(code), file()]);
	expect(good.result.ok).toBe(true);
	expect(good.renewals).toBe(1);
	expect(good.asked).toEqual([SIGNED, 'https://media.example/fresh.png']);

	const bad = await fetchOutput([status(code), status(code), file()]);
	expect(bad.result).toMatchObject({ failure: { problem: `the storage answered ${code}` } });
	expect(bad.renewals).toBe(1);
	expect(bad.asked).toHaveLength(2);
});

test('any other refusal is final', async () => {
	const { asked, renewals } = await fetchOutput([status(400), file()]);
	expect(asked).toHaveLength(1);
	expect(renewals).toBe(0);
});

describe('redirects are checked hop by hop', () => {
	const to = (location: string) => status(302, { location });

	test('an allowed one is followed, relative ones too', async () => {
		const { result, asked } = await fetchOutput([
			to('/b.png'),
			to('https://cdn.example/c.png'),
			file(),
		]);
		expect(result.ok).toBe(true);
		expect(asked).toEqual([SIGNED, 'https://media.example/b.png', 'https://cdn.example/c.png']);
	});

	test.each([
		['http://media.example/b.png', 'the address is not https'],
		['https://169.254.169.254/', 'the address is in a private network'],
		['https://0x7f000001/', 'the address is in a private network'],
		['https://[::ffff:10.0.0.1]/', 'the address is in a private network'],
		['file:///etc/passwd', 'the address is not https'],
		['https://[not an address/', 'a redirect without an address'],
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

test('the first address is checked like every other', async () => {
	const { result, asked } = await fetchOutput([file()], { url: 'http://10.0.0.1/x' });
	expect(result).toMatchObject({ failure: { problem: 'the address is not https' } });
	expect(asked).toHaveLength(0);
	const local = { url: 'http://127.0.0.1:4010/x.png' };
	expect((await fetchOutput([file()], local, 'http://127.0.0.1:4010/v1')).result.ok).toBe(true);
});

test('cancelled in between: no further try', async () => {
	const clock = new VirtualClock();
	const abort = new AbortController();
	let gets = 0;
	const host = hostWith(async () => LOST, {
		get: async () => {
			gets += 1;
			abort.abort();
			return LOST as LostAnswer;
		},
	});
	host.line.signal = abort.signal;
	const output: Output = { id: 'o', url: SIGNED, stem: 'x', renew: async () => undefined };
	const result = await clock.run(download(host, workspaceWith(clock), output));
	expect(result).toMatchObject({ failure: { kind: 'cancelled' } });
	expect(gets).toBe(1);
});
