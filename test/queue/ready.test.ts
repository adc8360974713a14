import { credentialData, credentialType } from '../../lab/n8n/credential';
import { runNode } from '../../lab/n8n/runNode';
import { smoke } from '../compat/support/smoke';
import { createParameters } from '../e2e/support/media';
import { instance } from './support/sharedInstance';

/** On workers, with protection against SSRF, without files in memory: see `globalSetup.ts`. */
describe('as n8n 3 will be', () => {
	smoke(() => instance);

	it('an address that the protection blocks is refused, with the reason', async () => {
		const { rest, sandbox } = instance;
		const baseUrl = sandbox.baseUrl.replace('127.0.0.1', '127.0.0.2');
		const access = credentialData({ apiKey: sandbox.keys[0]?.key ?? '', baseUrl });
		const refused = await runNode(rest, {
			type: 'n8n-nodes-mediagen.mediaGen',
			credential: await rest.credentials.create(credentialType, 'Blocked', access),
			parameters: createParameters({}),
		});
		const { message, description } = refused.error ?? {};
		expect(`${message} ${description}`).toMatch(/blocked because it resolves to a restricted IP/);
	});
});
