import { withoutSigningSecret } from '../../src/run/operations';

test.each(['secret', 'signing_secret', 'webhook_secret', 'webhookSecret', 'SECRET'])(
	'a field named %s goes, the others stay as they are',
	(name) => {
		const others = { id: 'wh_1', events: ['voice.created'], description: null };
		expect(withoutSigningSecret({ ...others, [name]: 'whsec_1' })).toEqual(others);
	},
);

test('a secret goes at any depth', () => {
	const answer = { data: [{ id: 'wh_1', signing: { secret: 'whsec_1', version: 1 } }] };
	expect(withoutSigningSecret(answer)).toEqual({ data: [{ id: 'wh_1', signing: { version: 1 } }] });
});
