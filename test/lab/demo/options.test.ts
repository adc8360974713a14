import { readOptions } from '../../../lab/demo/options';

test('the environment chooses ports and the real service', () => {
	const options = readOptions(['--once', '--watch', '--example', '7b'], {
		N8N_PORT: '5700',
		SANDBOX_PORT: '4100',
		MEDIAGEN_BASE_URL: 'https://api.example.com/v1/',
		MEDIAGEN_API_KEY: 'k',
	});
	expect(options).toMatchObject({
		once: true,
		watch: true,
		example: '7b',
		port: { number: 5700, chosen: true },
		sandboxPort: { number: 4100, chosen: true },
		service: { baseUrl: 'https://api.example.com/v1', apiKey: 'k' },
	});
});

test.each([
	[['--n8n', 'n8n.example.com'], {}, '--n8n is not the address of an n8n: n8n.example.com'],
	[['--n8n', 'https://n8n', '--queue'], {}, 'it goes with --example and --once only'],
	[['--no-such-option'], {}, "Unknown option '--no-such-option': see npm start -- --help"],
	[[], { N8N_PORT: 'a' }, 'N8N_PORT is a: a number from 1 to 65535 is needed'],
	[[], { MEDIAGEN_API_KEY: 'k' }, 'MEDIAGEN_API_KEY is set, so MEDIAGEN_BASE_URL is needed too'],
])('%j with %j is refused with one line', (args, env, message) => {
	expect(() => readOptions(args, env)).toThrow(message);
});
