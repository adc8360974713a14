import fc from '../support/fastCheck';
import { readPayload } from '../../src/events/event';

const read = (text: string) => readPayload(Buffer.from(text));

test.each(['', '{', '[{}]', 'null', '"text"'])('%j is not an event', (text) => {
	expect(read(text)).toBeUndefined();
});

test('an event with bytes that are not UTF-8 can be read', () => {
	const bytes = Buffer.concat([
		Buffer.from('{"a":"'),
		Buffer.from([0xff, 0x80]),
		Buffer.from('"}'),
	]);
	expect(readPayload(bytes)).toEqual({ a: '\ufffd\ufffd' });
	expect(readPayload(Buffer.from([0, 0xff, 0x80]))).toBeUndefined();
});

test('what is nested 256 deep is read, and 200,000 deep it is not, without an exception', () => {
	const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
	expect(read(nested(256))).toBeDefined();
	expect(read(nested(200_000))).toBeUndefined();
	expect(read('['.repeat(200_000))).toBeUndefined();
});

test('a prototype does not come in, at any depth', () => {
	const payload = read(
		'{"__proto__":{"x":1},"a":{"__proto__":{"x":1},"b":1},"c":[{"__proto__":{"x":1}}]}',
	);
	expect(payload).toEqual({ a: { b: 1 }, c: [{}] });
	expect(JSON.stringify(payload)).not.toContain('__proto__');
	expect(Object.assign({}, payload) as { x?: number }).not.toHaveProperty('x');
});

test('any JSON object is read as JSON.parse reads it, and no text throws', () => {
	fc.assert(
		fc.property(
			fc.object({ maxDepth: 5, key: fc.string().filter((key) => key !== '__proto__') }),
			(value) => {
				const text = JSON.stringify(value);
				expect(read(text)).toEqual(JSON.parse(text));
			},
		),
	);
	fc.assert(
		fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
			readPayload(bytes);
		}),
	);
});
