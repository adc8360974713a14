/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { join } from 'path';

import { readCommandLine, startFrom } from '../../sandbox/commandLine';
import { readCredential } from '../../src/transport/credential';
import { transferUrlProblem } from '../../src/files/transfer';
import { ask } from '../sandbox/support/harness';
import { read, ROOT } from '../support/sources';

const file = 'docker-compose.yml';

/** What is used of dclint, which is installed with the judges only: its types are missing elsewhere. */
interface Linter {
	lintFiles(
		paths: string[],
		recursive: boolean,
	): Array<{ messages: Array<{ line: number; message: string }> }>;
}
const { DCLinter } = jest.requireActual<{ DCLinter: new (config: object) => Linter }>('dclint');

test("the schema of Compose files and dclint's rules find nothing in the Compose file", () => {
	const linter = new DCLinter({
		// The order of the file is that of a start, not of the alphabet.
		rules: {
			'service-keys-order': 0,
			'services-alphabetical-order': 0,
			'top-level-properties-order': 0,
		},
		quiet: false,
		debug: false,
		exclude: [],
	});
	const results = linter.lintFiles([join(ROOT, file)], false);
	expect(results.map(({ messages }) => messages)).toEqual([[]]);
});

test('the Compose file runs the n8n that is tested', () => {
	const { dependencies } = JSON.parse(read('lab/package.json')) as {
		dependencies: Record<string, string>;
	};
	expect(read(file)).toContain(`n8nio/n8n:${dependencies.n8n}`);
});

test('the event log of each n8n is its own, not in the folder that all of them share', () => {
	const [, shared] = /^ {4}- n8n:(\S+)$/m.exec(read(file)) ?? [];
	const [, log] = /N8N_EVENTBUS_LOGWRITER_LOGFULLPATH: (\S+)\.log$/m.exec(read(file)) ?? [];
	expect(shared).toBe('/home/node/.n8n');
	expect(log).toMatch(/^\/home\/node\/[^/]+$/);
});

describe('the sandbox of the Compose file', () => {
	const [, listed = ''] = /^ {2}sandbox:[^]*?command:\s*\[([^\]]*)\]/m.exec(read(file)) ?? [];
	const args = [...listed.matchAll(/'([^']*)'/g)].map(([, each = '']) => each);
	const [, baseUrl = ''] = /the base URL (\S+) and/.exec(read(file)) ?? [];

	test('has an address that the nodes accept, and that the network gives to its container', () => {
		expect(readCredential({ baseUrl, apiKey: 'mgs_1' })).toMatchObject({ baseUrl });
		expect(transferUrlProblem(`${new URL(baseUrl).origin}/outputs/a.png`, baseUrl)).toBeUndefined();
		const { hostname, port } = new URL(baseUrl);
		expect(read(file)).toMatch(new RegExp(`aliases:\\s+- ${hostname}\\n`));
		expect(read(file)).toContain(`'127.0.0.1:${port}:${port}'`);
	});

	test('started as it says, answers by that address, and its answers point there', async () => {
		const { start } = readCommandLine(args);
		const sandbox = await startFrom({ ...start, port: 0, data: undefined });
		const { body } = await ask(sandbox.baseUrl.replace('/v1', '/openapi.json'), {
			headers: { host: new URL(baseUrl).host },
			agent: false,
		});
		await sandbox.close();
		expect(body.servers).toMatchObject([{ url: baseUrl }]);
	});

	test('keeps its state where the file for its image lets it write', () => {
		const image = read('sandbox/Dockerfile');
		const { data, port } = readCommandLine(args).start;
		expect(image).toContain(`VOLUME ${data}`);
		expect(read(file)).toContain(`- sandbox:${data}`);
		expect(image).toContain(`EXPOSE ${port}`);
		expect(image).toContain('USER node');
	});
});
