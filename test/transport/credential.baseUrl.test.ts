import { readBaseUrl } from '../../src/transport/credential';

const LOCAL = 'http://127.0.0.1:4010/v1';

describe('the base URL', () => {
	test.each([
		'https://api.example/v1',
		'https://api.example/media/v2',
		'https://10.0.0.5/v1',
		LOCAL,
		'http://localhost:4010/v1',
		'http://[::1]:1/v1',
	])('%s is allowed', (url) => {
		expect(readBaseUrl(url)).toEqual({ baseUrl: url, isLocal: url.startsWith('http:') });
	});

	test.each([
		['  ', 'is empty: write the address of the API, such as https://api.example.com/v1'],
		[
			'my service',
			'is not a complete address: write it in full, such as https://api.example.com/v1',
		],
		[
			'key@api.example/v1',
			'is not a complete address: write it in full, such as https://api.example.com/v1',
		],
		['https://api.example/v1/other', 'must end in /v1: write https://api.example/v1'],
		[
			'http://api.example/v1',
			'must begin with https:// (http:// only for a service on this machine)',
		],
		['http://10.0.0.5/v1', 'must begin with https:// (http:// only for a service on this machine)'],
		['https://user@api.example/v1', 'must not contain a user name or password'],
	])('%s: %s', (url, problem) => {
		expect(readBaseUrl(url)).toEqual({ problem });
	});
});

test.each([
	['api.example', 'https://api.example/v1'],
	['api.example:8443/x/v2', 'https://api.example:8443/x/v2'],
	['https://api.example/media', 'https://api.example/media/v1'],
	['127.0.0.1:4010/v1', LOCAL.replace(/\/\/.*/, '//127.0.0.1:4010/v1')],
	['localhost:4010', 'http://localhost:4010/v1'],
	['[::1]:4010/v1', 'http://[::1]:4010/v1'],
])('the base URL %s is completed: %s', (given, baseUrl) => {
	const completed = { baseUrl, isLocal: baseUrl.startsWith('http:') };
	expect(readBaseUrl(given)).toEqual(completed);
	// What it was completed to is what somebody may enter.
	expect(readBaseUrl(baseUrl)).toEqual(completed);
});

test.each([
	' https://api.example/v1//\n',
	'api.example/v1',
	'https://api.example/',
	'https://api.example/v1?x=1#y',
	'<https://api.example/v1/>',
	'HTTPS://API.example/v1',
	'\u200bhttps://api.example/v1',
	'https://api.example/v1/agents/runs/',
])('the base URL %j is corrected beyond doubt', (url) => {
	expect(readBaseUrl(url)).toEqual({ baseUrl: 'https://api.example/v1', isLocal: false });
});
