import { withoutSecret } from '../../src/service/redact';

const SECRET = 'canary-key-123';

test('a secret is masked everywhere, in values and in names', () => {
	const value = { text: `a ${SECRET} b ${SECRET}`, list: [{ deep: SECRET }, 7], [SECRET]: null };
	const masked = { text: 'a *** b ***', list: [{ deep: '***' }, 7], '***': null };
	expect(withoutSecret(value, SECRET)).toEqual(masked);
	expect(withoutSecret(`x${SECRET}`, SECRET)).toBe('x***');
});

test('a secret with characters that JSON escapes is masked as well', () => {
	const secret = 'quote"d-sec\\ret';
	expect(withoutSecret({ text: `a ${secret}` }, secret)).toEqual({ text: 'a ***' });
});
