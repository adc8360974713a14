import { NodeHelpers } from 'n8n-workflow';
import { MediaGenApi } from '../../credentials/MediaGenApi.credentials';
import { SCOPES } from '../../src/contract';
import { authenticate } from '../../src/service/credential';

const credential = new MediaGenApi();
const property = (name: string) => credential.properties.find((one) => one.name === name);

test('the key is a password, and n8n puts it on requests by a function', () => {
	expect(property('apiKey')?.typeOptions).toEqual({ password: true });
	expect(credential.authenticate).toBe(authenticate);
});

test('the HTTP Request node may not use it unless allowed', () => {
	expect(property('allowedHttpRequestDomains')?.default).toBe('none');
	const values = (property('allowedHttpRequestDomains')?.options ?? []).map(
		(option) => 'value' in option && option.value,
	);
	expect(values).toEqual(['all', 'none', 'domains']);
});

test('all fourteen scopes are offered as a limit, and none is chosen by default', () => {
	expect(SCOPES).toHaveLength(14);
	expect(
		(property('scopes')?.options ?? []).map((option) => 'value' in option && option.value),
	).toEqual([...SCOPES]);
	expect(property('scopes')?.default).toEqual([]);
});

test('n8n keeps the limits that were chosen', () => {
	const limits = { scopes: ['files:write'], requestsPerMinute: 600, concurrentJobs: 20 };
	const given = { apiKey: 'k', baseUrl: 'https://api.example/v1', ...limits };
	// As n8n does when it reads a credential: it drops what stands in fields that it does not show.
	const read = NodeHelpers.getNodeParameters(credential.properties, given, true, false, null, null);
	expect(read).toMatchObject(limits);
});
