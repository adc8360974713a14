import { httpsUrlIn } from '../../src/base/urls';
import { mediaUrlIn } from '../../src/fields/rules/media';

const PUBLIC = 'https://api.example/v1';
const LOCAL = 'http://127.0.0.1:4010/v1';

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
