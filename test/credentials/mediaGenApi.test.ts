import { MediaGenApi } from '../../credentials/MediaGenApi.credentials';
import { SCOPES } from '../../src/contract';
import { authenticate } from '../../src/transport/credential';

const credential = new MediaGenApi();
const property = (name: string) => credential.properties.find((one) => one.name === name);

test('has the name and fields that saved workflows use', () => {
	expect(credential.name).toBe('mediaGenApi');
	expect(credential.properties.map(({ name }) => name)).toEqual([
		'apiKey',
		'baseUrl',
		'moreSettings',
		'scopes',
		'requestsPerMinute',
		'concurrentJobs',
		'allowedHttpRequestDomains',
		'allowedDomains',
	]);
});

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

test('the limits of the default plan', () => {
	expect(property('requestsPerMinute')?.default).toBe(60);
	expect(property('concurrentJobs')?.default).toBe(5);
});
