/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { Readable } from 'stream';
import { readBody } from '../../src/service/n8n';

const never = new AbortController().signal;

const stream = (...chunks: Array<string | Buffer>) =>
	Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

const SMILE = Buffer.from('"😀"');

test.each([
	['JSON in pieces', stream('{"id"', ': "ä"}'), { id: 'ä' }],
	['text that is not JSON', stream('<html>'), '<html>'],
	['nothing', stream(), ''],
	[
		'JSON after a byte order mark',
		stream(Buffer.from([0xef, 0xbb]), Buffer.from([0xbf]), '{}'),
		{},
	],
	[
		'a character that is cut between two pieces',
		stream(SMILE.subarray(0, 3), SMILE.subarray(3)),
		'😀',
	],
])('%s', async (_name, body, value) => {
	expect(await readBody(body, never)).toEqual({ value });
});

test('an endless body is not read to its end', async () => {
	let given = 0;
	const piece = Buffer.alloc(1024 * 1024);
	const endless = new Readable({
		read() {
			given += 1;
			this.push(piece);
		},
	});
	expect(await readBody(endless, never)).toBeUndefined();
	expect(given).toBeLessThan(64);
	expect(endless.destroyed).toBe(true);
});

test('a stalled body ends with the signal, even if the stream does not notice', async () => {
	const stuck = new Readable({ read() {}, destroy() {} });
	const end = new AbortController();
	const answer = readBody(stuck, end.signal);
	end.abort(new Error('too late'));
	await expect(answer).rejects.toThrow('too late');
	expect(stuck.destroyed).toBe(true);
});
