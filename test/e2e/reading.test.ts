/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { baseUrl, credentials, keys, rest, runOurs, sandbox } from './support/harness';
import { download, sniff } from './support/media';

/** Has the service make this many quick jobs, without n8n. */
async function make(count: number): Promise<string[]> {
	await sandbox.settings({ requestsPerMinute: 100_000, concurrentJobs: 1_000 });
	const created = Array.from({ length: count }, async (_, index) => {
		const answer = await fetch(`${baseUrl}/generations`, {
			method: 'POST',
			headers: { authorization: `Bearer ${keys.full.key}`, 'content-type': 'application/json' },
			body: JSON.stringify({ mode: 'image', model: 'studio/image-1', prompt: `Number ${index}` }),
		});
		return ((await answer.json()) as { id: string }).id;
	});
	return await Promise.all(created);
}

beforeEach(async () => await sandbox.reset());

describe('Get Many', () => {
	it('follows the cursor over pages with Return All', async () => {
		const ids = await make(130);
		const run = await runOurs({
			node: 'mediaGen',
			parameters: { operation: 'getAll', returnAll: true },
		});
		expect(run.items.map(({ json }) => String(json.id)).sort()).toEqual([...ids].sort());
		expect(run.items.every(({ pairedItem }) => JSON.stringify(pairedItem) === '{"item":0}')).toBe(
			true,
		);
		const pages = (await sandbox.requests()).filter(({ method }) => method === 'GET');
		expect(pages).toHaveLength(2);
	});
});

describe('Get', () => {
	it('gives a generation and its files', async () => {
		const [id = ''] = await make(1);
		await new Promise((resolve) => setTimeout(resolve, 1_000));
		const run = await runOurs({
			node: 'mediaGen',
			parameters: {
				operation: 'get',
				generationId: { __rl: true, mode: 'id', value: id },
				downloadOutputs: true,
			},
		});
		expect(run.items[0]?.json).toMatchObject({ id, status: 'completed' });
		expect(sniff(await download(rest, run.items[0]?.binary.data))).toBe('image/png');
	});
});

describe('lists in the editor', () => {
	const type = 'n8n-nodes-mediagen.mediaGen';

	it('offer the models of the chosen mode', async () => {
		const search = { type, methodName: 'searchModels', credential: credentials.full };
		const { results } = await rest.nodes.search({
			...search,
			parameters: { operation: 'generateVideo' },
		});
		expect(results.map(({ value }) => value).sort()).toEqual(['studio/video-1', 'studio/video-2']);
		const found = await rest.nodes.search({
			...search,
			parameters: { operation: 'generateAudio' },
			filter: 'MUSIC',
		});
		expect(found.results.map(({ value }) => value).sort()).toEqual([
			'studio/music-1',
			'studio/music-2',
		]);
	});

	it('offer the generations, page by page', async () => {
		await make(101);
		const search = { type, methodName: 'searchGenerations', credential: credentials.full };
		const first = await rest.nodes.search(search);
		expect(first.results).toHaveLength(100);
		const token = String(first.paginationToken);
		const second = await rest.nodes.search({ ...search, paginationToken: token });
		expect(second.results).toHaveLength(1);
	});

	it('say what is wrong instead of being empty', async () => {
		const search = { type, methodName: 'searchModels', parameters: { operation: 'generateImage' } };
		await expect(
			rest.nodes.search({ ...search, credential: credentials.wrongKey }),
		).rejects.toThrow(/API key is invalid/);
		await expect(
			rest.nodes.search({ ...search, credential: credentials.notEntitled }),
		).rejects.toThrow(/models:read/);
	});
});
