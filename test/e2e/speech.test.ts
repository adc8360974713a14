import type { INodeParameters } from 'n8n-workflow';
import { saveCredential } from '../../lab/n8n/credential';
import { byId, make, until } from './support/fixtures';
import { baseUrl, credentials, keys, rest, runOurs, sandbox } from './support/harness';
import { download, shortId, sniff } from './support/media';

const node = 'mediaGenSpeech';
const lite = 'service/speech-lite';
const turbo = 'vendor/partner/speech-2.8-turbo';

const parametersOf = (given: Record<string, unknown>) =>
	({ operation: 'create', model: byId(lite), ...given }) as INodeParameters;

const fromJson = (blocksJson: unknown, given: Record<string, unknown> = {}) =>
	parametersOf({ blocksFrom: 'json', blocksJson, ...given });

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

	it('speaks with a custom voice on the model that takes them', async () => {
		const voice = await make.voice();
		const run = await runOurs({
			node,
			parameters: parametersOf({
				model: byId(turbo),
				blocksFrom: 'fields',
				blocks: { block: [{ text: 'It is me.', voice: byId(voice) }] },
			}),
		});
		expect(run.items[0]?.json).toMatchObject({ status: 'completed', model: turbo });
	});

	it('shows the refusal of a voice as the service words it', async () => {
		const run = await runOurs({
			node,
			parameters: parametersOf({
				blocksFrom: 'fields',
				blocks: { block: [{ text: 'Hi', voice: byId('nobody') }] },
			}),
		});
		expect(run.error?.message).toMatch(/refused the request as invalid: blocks\[0\]\.voice/);
	});

	it.each<[string, INodeParameters, RegExp]>([
		[
			'no block',
			parametersOf({ blocksFrom: 'fields', blocks: {} }),
			/^Blocks takes from 1 to 50 blocks, got 0/,
		],
		[
			'a block without text',
			parametersOf({
				blocksFrom: 'fields',
				blocks: { block: [{ text: 'a' }, { text: '={{ "" }}' }] },
			}),
			/^Blocks block 2: Text is empty/,
		],
		[
			'51 blocks',
			fromJson(JSON.stringify(Array(51).fill('a'))),
			/^Blocks \(JSON\) takes from 1 to 50 blocks, got 51/,
		],
		['an empty array', fromJson('[]'), /^Blocks \(JSON\) takes from 1 to 50 blocks, got 0/],
		[
			'null among the blocks',
			fromJson('={{ ["a", null] }}'),
			/^Blocks \(JSON\) block 2: Text is empty/,
		],
		[
			'an unknown model',
			fromJson('["a"]', { model: byId('studio/none') }),
			/^Model must be one of service\/speech-lite/,
		],
		[
			'a volume of 11',
			fromJson('["a"]', { settings: { volume: 11 } }),
			/^Volume must be a number from 0.1 to 10, got 11/,
		],
		[
			'a speed of 0.4',
			fromJson('["a"]', { settings: { speed: 0.4 } }),
			/^Speed must be a number from 0.5 to 2, got 0.4/,
		],
	])('%s is refused before anything is sent', async (_, parameters, message) => {
		const run = await runOurs({ node, parameters });
		expect(run.error?.message).toMatch(message);
		expect(await asked()).toEqual([]);
	});
});

describe('Get', () => {
	it('gives a speech and its file', async () => {
		const speechId = await make.speech();
		await until(`/speech/${speechId}`, 'completed');
		const parameters = { operation: 'get', speechId, downloadOutputs: true };
		const run = await runOurs({ node, parameters });
		expect(run.items[0]?.json).toMatchObject({ id: speechId, status: 'completed' });
		expect(sniff(await download(rest, run.items[0]?.binary.data))).toBe('audio/wav');
	});
});

describe('lists in the editor', () => {
	const type = 'n8n-nodes-mediagen.mediaGenSpeech';
	const search = { type, methodName: 'searchVoices', credential: credentials.full };

	it('offer the voices of the chosen model, and the custom voices first', async () => {
		const voice = await make.voice();
		const of = async (model: string) =>
			(await rest.nodes.search({ ...search, parameters: { model: byId(model) } })).results;
		const [first, ...presets] = await of(turbo);
		expect(first).toMatchObject({ value: voice });
		const others = (await of(lite)).slice(1);
		expect(presets.length).toBeGreaterThan(3);
		expect(presets.map(({ value }) => value)).not.toEqual(others.map(({ value }) => value));
	});

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

	it('name the scope that a key lacks', async () => {
		const lacking = { ...search, credential: credentials.notEntitled };
		await expect(
			rest.nodes.search({ ...lacking, parameters: { model: byId(turbo) } }),
		).rejects.toThrow(/voices:read/);
	});
});
