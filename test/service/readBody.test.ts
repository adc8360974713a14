/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { Readable } from 'stream';
import { readBody } from '../../src/service/n8n';

const never = new AbortController().signal;

const stream = (...chunks: Array<string | Buffer>) =>
	Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

test.each([
	['JSON in pieces', stream('{"id"', ': "ä"}'), { id: 'ä' }],
	['text that is not JSON', stream('<html>'), '<html>'],
	['JSON that is cut', stream('{"id": "gen'), '{"id": "gen'],
	['nothing', stream(), ''],
	[
		'JSON after a byte order mark',
		stream(Buffer.from([0xef, 0xbb]), Buffer.from([0xbf]), '{}'),
		{},
	],
	['text after a byte order mark', stream('\ufeff<html>'), '<html>'],
])('%s', async (_name, body, value) => {
	expect(await readBody(body, never)).toEqual({ value });
});

test('a character that is cut between two pieces is whole again', async () => {
	const bytes = Buffer.from('"😀"');
	const value = await readBody(stream(bytes.subarray(0, 3), bytes.subarray(3)), never);
	expect(value).toEqual({ value: '😀' });
});

test('a body that n8n has read already is taken as it is', async () => {
	for (const value of [{ a: 1 }, undefined, null])
		expect(await readBody(value, never)).toEqual({ value });
});

test('an endless body is not read to its end', async () => {
	let given = 0;
	const endless = new Readable({
		read() {
			given += 1;
			this.push(Buffer.alloc(1024 * 1024));
		},
	});
	expect(await readBody(endless, never)).toBeUndefined();
	expect(given).toBeLessThan(64);
	expect(endless.destroyed).toBe(true);
});

test('a body that breaks off is a failure, not a short answer', async () => {
	const broken = new Readable({
		read() {
			this.destroy(new Error('socket hang up'));
		},
	});
	await expect(readBody(broken, never)).rejects.toThrow('socket hang up');
});

test('a stalled body ends with the signal, even if the stream does not notice', async () => {
	const stuck = new Readable({ read() {}, destroy() {} });
	const end = new AbortController();
	const answer = readBody(stuck, end.signal);
	end.abort(new Error('too late'));
	await expect(answer).rejects.toThrow('too late');
	expect(stuck.destroyed).toBe(true);
	await expect(readBody(stream('{}'), end.signal)).rejects.toThrow('too late');
});
