import { addressKind } from '../../src/base/urls';

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
