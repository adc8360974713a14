import { fieldNames, secretIn, webhookIdIn } from '../../src/webhook/registrationResponse';

test.each([
	[{ secret: 'a', signing_secret: 'b', webhook_secret: 'c' }, 'a'],
	[{ my_secret: 'x', webhook_secret: 'c', signing_secret: 'b' }, 'b'],
	[{ my_secret: 'x', webhook_secret: 'c' }, 'c'],
	[{ id: 'wh', hmacSecretKey: 'd' }, 'd'],
	[{ secret: '', signing_secret: 7, client_secret: 'e' }, 'e'],
	[{ secret: { value: 'f' } }, undefined],
	[{ id: 'wh', token: 'g' }, undefined],
	[{}, undefined],
	[{ webhook: { id: 'wh', secret: 'h' } }, 'h'],
	[{ data: { id: 'wh', signing_secret: 'i' } }, 'i'],
	[{ webhook_secret: 'j', data: { secret: 'k' } }, 'j'],
])('the secret in %j is %s', (body, secret) => {
	expect(secretIn(body)).toBe(secret);
});

test.each([
	[{ id: 'wh_1' }, 'wh_1'],
	[{ webhook: { id: 'wh_2' }, secret: 's' }, 'wh_2'],
	[{ data: { id: 'wh_3' } }, 'wh_3'],
	[{ webhook_id: 'wh_4' }, 'wh_4'],
	[{ url: 'https://x' }, undefined],
	[{ id: 17, secret: 's' }, '17'],
	[{ id: null, data: { id: 0 } }, '0'],
	[{ id: 1.5 }, undefined],
])('the id in %j is %s', (body, id) => {
	expect(webhookIdIn(body)).toBe(id);
});

test('an unusable response is reported by its field names, never by their values', () => {
	expect(fieldNames({ id: 'wh', token: 'canary' })).toBe('id, token');
	expect(fieldNames({})).toBe('none');
	const many = Object.fromEntries(
		Array.from({ length: 500 }, (_, each) => [`field ${each} ${'x'.repeat(500)}`, 1]),
	);
	expect(fieldNames(many).length).toBeLessThan(2_000);
});
