import fc from '../support/fastCheck';
import { withoutSecret } from '../../src/service/redact';

const SECRET = 'canary-key-123';

test('a secret is masked everywhere, in values and in names', () => {
	const value = {
		text: `a ${SECRET} b ${SECRET}`,
		list: [SECRET, { deep: SECRET }],
		[SECRET]: 1,
		number: 7,
		nothing: null,
	};
	expect(withoutSecret(value, SECRET)).toEqual({
		text: 'a *** b ***',
		list: ['***', { deep: '***' }],
		'***': 1,
		number: 7,
		nothing: null,
	});
	expect(withoutSecret(`x${SECRET}`, SECRET)).toBe('x***');
});

test('a secret with characters that JSON escapes is masked as well', () => {
	const secret = 'quote"d-sec\\ret';
	expect(withoutSecret({ text: `a ${secret}` }, secret)).toEqual({ text: 'a ***' });
});

test('whatever a service sends, the secret is not in it', () => {
	const text = fc.oneof(
		fc.string(),
		fc.string().map((around) => `${around}${SECRET}${around}`),
	);
	const body = fc.oneof(
		text,
		fc.dictionary(text, text),
		fc.array(fc.dictionary(text, fc.array(text))),
	);
	fc.assert(
		fc.property(body, (value) => {
			expect(JSON.stringify(withoutSecret(value, SECRET))).not.toContain(SECRET);
		}),
	);
});
