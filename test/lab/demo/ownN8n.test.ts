/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { numbered, readExamples } from '../../../lab/demo/examples';
import { readOptions } from '../../../lab/demo/options';
import { useOwnN8n } from '../../../lab/demo/ownN8n';
import { Cleanup } from '../../../lab/demo/cleanup';
import type { StartContext } from '../../../lab/demo/start';

/** Stands in for the service, which only has to name its models, and for n8n's public API. */
let server: Server;
let url: string;
let answers: Array<[status: number, body: object]>;
const calls: Array<{ path: string; key: unknown; body: Record<string, unknown> }> = [];

beforeAll(async () => {
	server = createServer((request, response) => {
		let text = '';
		request.on('data', (chunk: Buffer) => (text += chunk.toString()));
		request.on('end', () => {
			const { url: path = '', headers } = request;
			if (path.startsWith('/v1/models')) {
				const capabilities = { voices: [] };
				const ids = ['studio/image-1', 'studio/video-1', 'studio/music-1', 'studio/speech-1'];
				const data = ids.map((id) => (id.includes('speech') ? { id, capabilities } : { id }));
				return void response.end(JSON.stringify({ data }));
			}
			calls.push({ path, key: headers['x-n8n-api-key'], body: JSON.parse(text) });
			const [status, body] = answers.shift() ?? [500, {}];
			response.writeHead(status).end(JSON.stringify(body));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
	calls.length = 0;
	answers = [];
});

/** What a start with the real service prints, so that nothing keeps it running. */
async function start(env: Record<string, string> = {}): Promise<string> {
	const lines: string[] = [];
	const options = readOptions(['--n8n', url], {
		MEDIAGEN_BASE_URL: `${url}/v1`,
		MEDIAGEN_API_KEY: 'key-of-the-service',
		...env,
	});
	const context: StartContext = {
		options,
		port: 0,
		sandboxPort: 0,
		log: (line) => void lines.push(line),
		cleanup: new Cleanup(),
		held: { publish: () => undefined, release: () => undefined },
	};
	await useOwnN8n(context, options.ownN8n!, numbered(readExamples(), '1'));
	return lines.join('\n');
}

test('without a key of the n8n it says what to do by hand, and calls nothing', async () => {
	const said = await start();
	expect(said).toContain('Settings > Community nodes > Install');
	expect(said).toContain(`${url}/v1`);
	expect(said).toContain('key-of-the-service');
	expect(calls).toEqual([]);
});

test.each([
	['a wrong key', [401, {}], /does not know the key in N8N_API_KEY/],
	[
		'an n8n without the nodes',
		[400, { message: 'req.body.type is not a known type: mediaGenApi' }],
		/Community nodes > Install/,
	],
] as Array<[string, [number, object], RegExp]>)('%s is said so', async (_, answer, words) => {
	answers = [answer];
	await expect(start({ N8N_API_KEY: 'k' })).rejects.toThrow(words);
});
