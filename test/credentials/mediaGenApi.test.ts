import { MediaGenApi } from '../../credentials/MediaGenApi.credentials';
import { SCOPES } from '../../src/contract';

const credential = new MediaGenApi();
const property = (name: string) => credential.properties.find((one) => one.name === name);

test('has the name and the fields that stand in workflows', () => {
	expect(credential.name).toBe('mediaGenApi');
	expect(credential.properties.map(({ name }) => name)).toEqual([
		'apiKey',
		'baseUrl',
		'scopes',
		'requestsPerMinute',
		'concurrentJobs',
	]);
});

test('the key is a password and goes out as a Bearer header, and nowhere else', () => {
	expect(property('apiKey')?.typeOptions).toEqual({ password: true });
	expect(credential.authenticate).toEqual({
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{ $credentials.apiKey }}' } },
	});
});

test('all fourteen scopes are offered and declared by default', () => {
	expect(SCOPES).toHaveLength(14);
	expect(
		(property('scopes')?.options ?? []).map((option) => 'value' in option && option.value),
	).toEqual([...SCOPES]);
	expect(property('scopes')?.default).toEqual([...SCOPES]);
});

test('the limits of the default plan', () => {
	expect(property('requestsPerMinute')?.default).toBe(60);
	expect(property('concurrentJobs')?.default).toBe(5);
});
