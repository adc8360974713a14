import { Cleanup } from '../../lab/process/cleanup';
import { numbered, readExamples } from '../../lab/demo/examples';
import { readOptions } from '../../lab/demo/options';
import { useOwnN8n } from '../../lab/demo/ownN8n';
import { baseUrl, keys, n8nUrl, rest } from './support/harness';

test('npm start -- --n8n puts a credential that works and an example into an n8n that runs already', async () => {
	const { session } = rest;
	const scopes = await session.request<string[]>('GET', '/rest/api-keys/scopes');
	const body = { label: 'npm start', scopes, expiresAt: null };
	const made = await session.request<{ rawApiKey: string }>('POST', '/rest/api-keys', body);
	const options = readOptions(['--n8n', n8nUrl], {
		N8N_API_KEY: made.rawApiKey,
		MEDIAGEN_BASE_URL: baseUrl,
		MEDIAGEN_API_KEY: keys.full.key,
	});
	const lines: string[] = [];
	const context = {
		options,
		port: 0,
		sandboxPort: 0,
		log: (line: string) => void lines.push(line),
		cleanup: new Cleanup(),
		held: { publish: () => undefined, release: () => undefined },
	};
	const example = numbered(readExamples(), '1');
	await useOwnN8n(context, options.ownN8n!, example);
	const id = /\/workflow\/(\w+)/.exec(lines.join('\n'))?.[1] ?? '';
	const workflow = await rest.workflows.get(id);
	expect(workflow.name).toBe(example.name);
	const used = workflow.nodes.flatMap(({ credentials }) => Object.values(credentials ?? {}));
	const saved = (await rest.credentials.list()).find((one) => one.id === used[0]?.id);
	expect(await rest.credentials.test(saved!)).toMatchObject({ status: 'OK' });
});
