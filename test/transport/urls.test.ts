import { addressKind, httpsUrlIn, mediaUrlIn, transferUrlProblem } from '../../src/transport/urls';
import { readBaseUrl } from '../../src/transport/credential';

const PUBLIC = 'https://api.example/v1';
const LOCAL = 'http://127.0.0.1:4010/v1';

const hostOf = (url: string) => addressKind(new URL(url).hostname);

test.each([
	'http://127.255.255.254',
	'http://2130706433',
	'http://LOCALHOST.',
	'http://some.localhost',
	'http://[::1]',
])('%s is this machine', (url) => {
	expect(hostOf(url)).toBe('loopback');
});

test.each([
	'http://167772161',
	'http://172.16.0.1',
	'http://172.31.255.255',
	'http://169.254.169.254',
	'http://100.64.0.1',
	'http://198.18.0.1',
	'http://0.0.0.0',
	'http://224.0.0.1',
	'http://10.0.0.1.',
	'http://[::]',
	'http://[::ffff:127.0.0.1]',
	'http://[64:ff9b::10.0.0.1]',
	'http://[fd12:3456::1]',
	'http://[fe80::1]',
	'http://[ff02::1]',
	'https://intranet/a',
	'https://printer.local/a',
	'https://metadata.google.internal/a',
	'https://kubernetes.default.svc/a',
	'https://kubernetes.default.svc./a',
	'https://nas.home.arpa/a',
	'https://[2002:7f00:1::]/a',
	'https://[2001:0:4136:e378::1]/a',
	'https://[2001::1]/a',
])('%s is not a public address', (url) => {
	expect(hostOf(url)).toBe('private');
});

test.each([
	'https://example.com',
	'https://172.15.0.1',
	'https://172.32.0.1',
	'https://100.128.0.1',
	'https://[2606:4700::1]',
	'https://10.example.com',
	'https://svc.example/a',
	'https://internal.example.com/a',
	'https://[2001:4860:4860::8888]/a',
	// Nobody can tell by its name.
	'https://127.0.0.1.nip.io/a',
])('%s is public', (url) => {
	expect(hostOf(url)).toBe('public');
});

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

test.each([
	['https://a.example/b c.png', 'https://a.example/b%20c.png'],
	['https://bücher.example/ü.png', 'https://xn--bcher-kva.example/%C3%BC.png'],
	[' <https://a.example/b.png> ', 'https://a.example/b.png'],
])('the URL %s is sent as %s', (given, url) => {
	expect(httpsUrlIn(given)).toBe(url);
	expect(mediaUrlIn(given, PUBLIC)).toEqual({ url });
});

test.each([
	['https://example.com/cat.png', PUBLIC, undefined],
	['http://example.com/cat.png', PUBLIC, 'must begin with https://'],
	['http://127.0.0.1/cat.png', PUBLIC, 'must begin with https://'],
	['http://127.0.0.1:4010/cat.png', LOCAL, undefined],
	['http://example.com/cat.png', LOCAL, 'must begin with https://'],
	['cat.png', PUBLIC, 'is not a URL'],
	['', PUBLIC, 'is not a URL'],
])('media input %s for the service at %s: %p', (url, baseUrl, problem) => {
	expect(mediaUrlIn(url, baseUrl).problem).toBe(problem);
});

const PRIVATE = 'the address is in a private network';
const PLAIN = 'the address is not https';

test.each([
	['https://media.example/cat.png', PUBLIC, undefined],
	['http://media.example/cat.png', PUBLIC, PLAIN],
	['https://127.0.0.1/cat.png', PUBLIC, PRIVATE],
	['https://169.254.169.254/latest/meta-data', PUBLIC, PRIVATE],
	['http://127.0.0.1:4010/cat.png', LOCAL, undefined],
	['http://10.0.0.1/cat.png', LOCAL, PLAIN],
	['https://10.0.0.1/cat.png', 'https://10.0.0.5/v1', undefined],
	['nonsense', PUBLIC, 'the address is not a URL'],
])('transfer to %s for the service at %s: %p', (url, baseUrl, problem) => {
	expect(transferUrlProblem(url, baseUrl)).toBe(problem);
});
