import { Readable } from 'stream';
import { answerBody } from '../../src/transport/answerBody';

const stream = (...chunks: Array<string | Buffer>) =>
	Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

test.each([
	['JSON in pieces', stream('{"id"', ': "ä"}'), { id: 'ä' }],
	['text that is no JSON', stream('<html>'), '<html>'],
	['JSON that is cut', stream('{"id": "gen'), '{"id": "gen'],
	['nothing', stream(), ''],
])('%s', async (_name, body, value) => {
	expect(await answerBody(body, 60_000)).toEqual({ value });
});

test('a character that is cut between two pieces is whole again', async () => {
	const bytes = Buffer.from('"😀"');
	const value = await answerBody(stream(bytes.subarray(0, 3), bytes.subarray(3)), 60_000);
	expect(value).toEqual({ value: '😀' });
});

test('a body that n8n has read already is taken as it is', async () => {
	for (const value of [{ a: 1 }, undefined, null])
		expect(await answerBody(value, 60_000)).toEqual({ value });
});

test('an endless body is not read to its end', async () => {
	let given = 0;
	const endless = new Readable({
		read() {
			given += 1;
			this.push(Buffer.alloc(1024 * 1024));
		},
	});
	expect(await answerBody(endless, 60_000)).toBeUndefined();
	expect(given).toBeLessThan(64);
	expect(endless.destroyed).toBe(true);
});

test('a body that breaks off is a failure, not a short answer', async () => {
	const broken = new Readable({
		read() {
			this.destroy(new Error('socket hang up'));
		},
	});
	await expect(answerBody(broken, 60_000)).rejects.toThrow('socket hang up');
});
