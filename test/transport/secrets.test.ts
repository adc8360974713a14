import { withoutSigningSecret } from '../../src/transport/secrets';

test('whatever is named a secret goes, at any depth, and all else stays', () => {
	const webhook = {
		id: 'wh_1',
		signing_secret: 'canary',
		nested: [{ Secret: 'canary', url: 'https://a.example' }],
		secretHistory: { old: 'canary' },
		nothing: null,
	};
	expect(withoutSigningSecret(webhook)).toEqual({
		id: 'wh_1',
		nested: [{ url: 'https://a.example' }],
		nothing: null,
	});
	for (const plain of [undefined, null, 'text', 7]) expect(withoutSigningSecret(plain)).toBe(plain);
});
