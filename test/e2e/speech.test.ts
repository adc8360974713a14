import type { INodeParameters } from 'n8n-workflow';
import { saveCredential } from '../../lab/n8n/credential';
import { byId } from './support/fixtures';
import { baseUrl, credentials, keys, rest, runOurs, sandbox } from './support/harness';
import { download, shortId, sniff } from './support/media';

const node = 'mediaGenSpeech';
const lite = 'service/speech-lite';

const parametersOf = (given: Record<string, unknown>) =>
	({ operation: 'create', model: byId(lite), ...given }) as INodeParameters;

const asked = async () => (await sandbox.requests()).filter(({ path }) => path.startsWith('/v1/'));

beforeEach(async () => await sandbox.reset());

describe('Create', () => {
	it('speaks the blocks of the form in one audio file', async () => {
		const run = await runOurs({
			node,
			parameters: parametersOf({
				blocksFrom: 'fields',
				blocks: { block: [{ text: 'Good morning.' }, { text: 'And good night.' }] },
			}),
		});
		expect(run.error).toBeUndefined();
		expect(run.items).toHaveLength(1);
		const [item] = run.items;
		expect(item?.json).toMatchObject({
			object: 'speech_generation',
			status: 'completed',
			line_count: 2,
		});
		expect(item?.pairedItem).toEqual({ item: 0 });
		expect(item?.binary.data?.fileName).toBe(`good-morning-${shortId(item?.json.id)}.wav`);
		expect(item?.json.url).toBe((item?.json.output as { url: string }).url);
		expect(sniff(await download(rest, item?.binary.data))).toBe('audio/wav');
	});
});

describe('lists in the editor', () => {
	const type = 'n8n-nodes-mediagen.mediaGenSpeech';
	const search = { type, methodName: 'searchVoices', credential: credentials.full };

	it('2,700 voices come by one request, with links to hear them, and nothing is asked while one types', async () => {
		await sandbox.settings({ voices: 2_700 });
		// What a list has held for the others is used again for a minute.
		const { workspace, scopes } = keys.full;
		const apiKey = await sandbox.addKey(workspace, scopes);
		const credential = await saveCredential(rest, 'Many voices', { apiKey, baseUrl });
		const open = async (more: { filter?: string; paginationToken?: string } = {}) =>
			await rest.nodes.search({
				...search,
				...{ credential, parameters: { model: byId(lite) }, ...more },
			});
		const first = await open();
		expect(first.results).toHaveLength(100);
		for (const { url } of first.results) expect(url).toMatch(/^http.*\.wav$/);
		const token = first.paginationToken as string;
		const second = await open({ paginationToken: token });
		const typed = await open({ filter: 'Ava 225' });
		expect(typed.results).toMatchObject([{ name: expect.stringMatching(/^Ava 225/) as string }]);
		expect(second.results).toHaveLength(100);
		const paths = (await asked()).map(({ path }) => path).sort();
		// The second one asks for the workspace's own voices.
		expect(paths).toEqual(['/v1/voices', '/v1/voices/catalog']);
	});
});
