/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import type { InputItem } from '../../lab/n8n/runNode';
import { ENDPOINTS, IDEMPOTENCY_HEADER, type EndpointName } from '../../src/api';
import { takesKey } from '../support/shapes';
import { byId, call } from './support/fixtures';
import { credentials, listed, newCredential, rest, runOurs, sandbox } from './support/harness';
import { bytesOf, createParameters, download, shortId, sniff } from './support/media';

/*
 * One journey through the operations of each node, in a real n8n; what comes out is held against the output
 * schemas by `support/harness.ts`. What a creation sends and gives in detail: media.test.ts.
 */

/** The operations of the contract that were called, and those of them that had an idempotency key. */
const called = new Set<string | null>();
const keyed = new Set<string | null>();

beforeEach(async () => await sandbox.reset());

const requests = async () =>
	(await sandbox.requests()).filter(({ path }) => path.startsWith('/v1/'));

afterEach(async () => {
	for (const { operation, headers } of await requests()) {
		called.add(operation);
		if (headers[IDEMPOTENCY_HEADER.toLowerCase()] !== undefined) keyed.add(operation);
	}
});

/** The bodies that were sent for an operation of the contract, oldest first. */
const sentTo = async (operation: string) =>
	(await requests()).filter((one) => one.operation === operation).map(({ body }) => body);

/** Runs an operation of a node to its good end and gives what it has output. */
async function output(node: string, parameters: object, items?: InputItem[]) {
	const run = await runOurs({ node, parameters: parameters as never, items });
	expect([run.error?.message, run.error?.description]).toEqual([undefined, undefined]);
	return run.items;
}

/** The fields of the one item that is output. */
async function only(node: string, parameters: object, items?: InputItem[]): Promise<IDataObject> {
	const all = await output(node, parameters, items);
	expect(all.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
	return all[0]?.json ?? {};
}

const file = (size: number, fileName: string, mimeType: string) => ({
	data: bytesOf(mimeType, size),
	fileName,
	mimeType,
});

/** The bytes at an address of the service. */
const bytesAt = async (url: unknown) => Buffer.from(await (await fetch(String(url))).arrayBuffer());

const notWaited = { waitForCompletion: false };
const lite = byId('service/speech-lite');

describe('Generation', () => {
	const node = 'mediaGen';

	/** Quick pictures, without n8n. */
	async function makePictures(count: number): Promise<string[]> {
		await sandbox.settings({ requestsPerMinute: 100_000, concurrentJobs: 1_000 });
		const body = { mode: 'image', model: 'studio/image-1', prompt: 'A boat' };
		const made = Array.from(
			{ length: count },
			async () => await call('POST', '/generations', body),
		);
		return (await Promise.all(made)).map(({ id }) => id);
	}

	it('Get Many with Return All follows the cursor over pages, and Get gives one with its files', async () => {
		const ids = await makePictures(130);
		const many = await output(node, { operation: 'getAll', returnAll: true });
		expect(many.map(({ json }) => String(json.id)).sort()).toEqual([...ids].sort());
		expect(new Set(many.map(({ pairedItem }) => JSON.stringify(pairedItem)))).toEqual(
			new Set(['{"item":0}']),
		);
		expect((await requests()).filter(({ method }) => method === 'GET')).toHaveLength(2);

		const get = { operation: 'get', generationId: byId(ids[0] ?? ''), downloadOutputs: true };
		const [one] = await output(node, get);
		expect(one?.json).toMatchObject({ id: ids[0], status: 'completed' });
		expect(sniff(await download(rest, one?.binary.data))).toBe('image/png');
	});

	it('Newer Than gives what was made since a moment, and the list in the editor opens what was made', async () => {
		await makePictures(2);
		// A moment is of that millisecond, in which the last one may have been made.
		await sleep(5);
		const moment = new Date().toISOString();
		await sleep(5);
		const newer = await makePictures(3);
		const many = { operation: 'getAll', returnAll: true, filters: { newerThan: moment } };
		const rows = await output(node, many);
		expect(rows.map(({ json }) => String(json.id)).sort()).toEqual([...newer].sort());
		const since = new Date(Date.now() + 60_000).toISOString();
		expect(await output(node, { ...many, filters: { newerThan: since } })).toEqual([]);

		const [id = ''] = newer;
		await output('mediaGenJob', { operation: 'wait', jobId: id });
		const [entry] = await listed(node, 'searchGenerations', id);
		expect(entry?.value).toBe(id);
		expect((await bytesAt(entry?.url)).subarray(1, 4).toString()).toBe('PNG');
	});

	it('its lists in the editor: models of the operation, generations page by page, and what is wrong', async () => {
		const type = 'n8n-nodes-mediagen.mediaGen';
		const models = async (operation: string, filter = '') =>
			await rest.nodes.search({
				type,
				methodName: 'searchModels',
				credential: credentials.full,
				parameters: { operation },
				filter,
			});
		const valuesOf = ({ results }: Awaited<ReturnType<typeof models>>) =>
			results.map(({ value }) => value).sort();
		expect(valuesOf(await models('generateVideo'))).toEqual([
			'first',
			'studio/video-1',
			'studio/video-2',
		]);
		expect(valuesOf(await models('generateAudio', 'MUSIC'))).toEqual([
			'studio/music-1',
			'studio/music-2',
		]);

		await makePictures(101);
		const credential = await newCredential();
		const search = { type, methodName: 'searchGenerations', credential };
		const first = await rest.nodes.search(search);
		expect(first.results).toHaveLength(100);
		const paginationToken = String(first.paginationToken);
		expect((await rest.nodes.search({ ...search, paginationToken })).results).toHaveLength(1);

		const wrong = { ...search, credential: credentials.wrongKey };
		await expect(rest.nodes.search(wrong)).rejects.toThrow(/API key is invalid/);
	});
});

describe('Speech', () => {
	const node = 'mediaGenSpeech';

	it('speaks the blocks of its form, or of all incoming items, in one file; Get gives it again', async () => {
		const [made] = await output(node, {
			operation: 'create',
			model: lite,
			blocksFrom: 'fields',
			blocks: { block: [{ text: 'Good morning.' }, { text: '={{ "And good" }} night.' }] },
		});
		expect(made?.json).toMatchObject({
			object: 'speech_generation',
			status: 'completed',
			line_count: 2,
			url: (made?.json.output as IDataObject).url,
		});
		expect(made?.binary.data?.fileName).toBe(`good-morning-${shortId(made?.json.id)}.wav`);
		expect(sniff(await download(rest, made?.binary.data))).toBe('audio/wav');

		const rows = [{ json: { text: 'One', other: 1 } }];
		const blocksJson = '={{ $input.all().map((item) => item.json ?? item) }}';
		const ofItems = { operation: 'create', model: lite, blocksFrom: 'json', blocksJson };
		await only(node, { ...ofItems, ...notWaited }, rows);
		expect(await sentTo('createSpeech')).toMatchObject([
			{ blocks: [{ text: 'Good morning.' }, { text: 'And good night.' }] },
			{ blocks: [{ text: 'One' }] },
		]);
		const read = await only(node, { operation: 'get', speechId: made?.json.id });
		expect(read).toMatchObject({ id: made?.json.id, status: 'completed' });
	});

	it('in the editor 2,700 voices come by one request, with links to hear them, and nothing is asked while one types', async () => {
		await sandbox.settings({ voices: 2_700 });
		const credential = await newCredential();
		const search = { type: `n8n-nodes-mediagen.${node}`, methodName: 'searchVoices' };
		const open = async (more: { filter?: string; paginationToken?: string } = {}) =>
			await rest.nodes.search({ ...search, credential, parameters: { model: lite }, ...more });
		const first = await open();
		expect(first.results).toHaveLength(100);
		for (const { url } of first.results) expect(url).toMatch(/^http.*\.wav$/);
		const second = await open({ paginationToken: first.paginationToken as string });
		expect(second.results).toHaveLength(100);
		const typed = await open({ filter: 'Ava 225' });
		expect(typed.results).toMatchObject([{ name: expect.stringMatching(/^Ava 225/) as string }]);
		// The second one asks for the workspace's own voices.
		const paths = (await requests()).map(({ path }) => path).sort();
		expect(paths).toEqual(['/v1/voices', '/v1/voices/catalog']);
	});
});

describe('Agent Run', () => {
	const node = 'mediaGenAgentRun';

	it('a production runs from brief to plan, over the review gate, to the assembled piece', async () => {
		const planned = await only(node, { operation: 'create', brief: 'A spot for a bakery' });
		expect(planned).toMatchObject({ object: 'agent_run', status: 'plan_proposed' });
		const agentRunId = byId(String(planned.id));
		expect(await listed(node, 'searchAgentRuns', 'plan_prop')).toMatchObject([
			{ value: planned.id, name: expect.stringContaining('A spot for a bakery') as string },
		]);

		const plan = { ...(planned.plan as IDataObject), title: 'Edited' };
		const approve = { operation: 'approve', agentRunId, maxCredits: 1_000 };
		const items = [{ json: { plan } }];
		const [approved] = await output(node, { ...approve, plan: '={{ $json.plan }}' }, items);
		expect(approved?.json).toMatchObject({
			id: planned.id,
			status: 'awaiting_review',
			plan: { title: 'Edited' },
		});
		const assets = Object.values(approved?.binary ?? {});
		expect(assets.map(({ mimeType }) => mimeType)).toEqual([
			'image/png',
			'video/mp4',
			'audio/wav',
			'audio/wav',
		]);
		expect(sniff(await download(rest, assets[1]))).toBe('video/mp4');

		const review = { operation: 'review', agentRunId, decision: 'assemble' };
		const reviewed = await output(node, { ...review, options: { splitOutputs: true } });
		expect(reviewed).toHaveLength(5);
		expect(reviewed[4]?.json).toMatchObject({ status: 'completed', output: { kind: 'video' } });
		const all = await only(node, { operation: 'getAll' });
		expect(await only(node, { operation: 'get', agentRunId })).toMatchObject({ id: all.id });
	});

	describe('a plan whose automatic approval could not be applied', () => {
		const parameters = {
			operation: 'create',
			brief: 'A spot for a bakery',
			autoApprove: true,
			additionalFields: { maxCredits: 1 },
		};

		it('is an error that names the run, and the next try pays for no other plan', async () => {
			const run = await runOurs({ node, parameters });
			expect(run.error?.message).toMatch(
				/^The plan could not be approved automatically: Budget in Credits: The plan needs .* \(job run_\w+\)$/,
			);
			const retried = await rest.executions.get(await rest.executions.retry(run.executionId));
			expect(retried.status).toBe('error');
			expect(await sentTo('createAgentRun')).toHaveLength(1);
		});

		it('is a row with On Error: Continue, from which Approve goes on', async () => {
			const items = [{ json: { id: 'row_1', client: 'A bakery' } }];
			const run = await runOurs({ node, parameters, items, onError: 'continueRegularOutput' });
			const [{ json: row = {} } = {}] = run.items;
			expect(row).toMatchObject({
				id: expect.stringMatching(/^run_/) as string,
				client: 'A bakery',
				status: 'failed',
				error: expect.stringContaining('could not be approved automatically') as string,
				plan: { steps: expect.any(Array) as unknown[] },
				details: { status: 'plan_proposed' },
			});
			const approve = {
				operation: 'approve',
				agentRunId: byId('={{ $json.id }}'),
				downloadOutputs: false,
				maxCredits: '={{ $json.estimated_credits }}',
			};
			const approved = await only(node, approve, [{ json: row }]);
			expect(approved).toMatchObject({ id: row.id, status: 'awaiting_review' });
		});
	});
});

it('Voice: cloned from a file, designed, renamed, listed, read and deleted; and the preset ones', async () => {
	const node = 'mediaGenVoice';
	const custom = { resource: 'customVoice' };
	const take = file(20, 'me.wav', 'audio/wav');
	const clone = { ...custom, operation: 'clone', name: 'Mine', audioUrl: 'binary:take' };
	const cloned = await only(node, clone, [{ binary: { take } }]);
	expect(cloned).toMatchObject({
		object: 'voice',
		kind: 'clone',
		credits_charged: expect.any(Number) as number,
	});
	const design = { ...custom, operation: 'design', name: 'Narrator', description: 'Calm' };
	expect(await only(node, design)).toMatchObject({ kind: 'design' });
	const [sent] = await sentTo('createVoice');
	const { audio_url: url } = sent as IDataObject;
	expect(await bytesAt(url)).toEqual(take.data);

	const voiceId = byId(String(cloned.id));
	await only(node, { ...custom, operation: 'rename', voiceId, name: 'Yours' });
	const all = await output(node, { ...custom, operation: 'getAll' });
	expect(all.map(({ json }) => json.name).sort()).toEqual(['Narrator', 'Yours']);
	expect(await listed(node, 'searchCustomVoices', 'your')).toMatchObject([
		{ value: cloned.id, url: cloned.preview_url },
	]);
	const get = { ...custom, operation: 'get', voiceId };
	expect(await only(node, get)).toMatchObject({ id: cloned.id });
	const gone = await only(node, { ...custom, operation: 'delete', voiceId });
	expect(gone).toMatchObject({ id: cloned.id, deleted: true });
	expect((await runOurs({ node, parameters: get })).error?.message).toMatch(/^Not found/);

	const filters = { language: 'en', gender: 'female', search: 'a' };
	const model = 'vendor/partner/speech-2.8-turbo';
	const presets = { resource: 'presetVoice', operation: 'getAll', model, filters };
	const heard = await output(node, { ...presets, downloadSamples: true });
	expect(heard.length).toBeGreaterThan(0);
	for (const { binary } of heard)
		expect(sniff(await download(rest, binary.data))).toBe('audio/wav');
	const asked = (await requests()).find(({ operation }) => operation === 'listPresetVoices');
	expect(asked?.query).toEqual({ model, ...filters });
});

it('Persona: described and waited for, made of pictures, updated, listed, read and deleted', async () => {
	const node = 'mediaGenPersona';
	const describe = {
		operation: 'createFromDescription',
		name: 'Mara',
		description: 'Silver braid',
	};
	const [made] = await output(node, { ...describe, options: { downloadPreview: true } });
	expect(made?.json).toMatchObject({ object: 'persona', status: 'ready', name: 'Mara' });
	expect(made?.binary.data).toMatchObject({
		mimeType: 'image/png',
		fileName: expect.stringMatching(/^mara-preview-.*\.png$/) as string,
	});

	const url = 'https://example.com/a.png';
	const referenceImages = `${url}\nbinary:photo`;
	const items = [{ binary: { photo: file(20, 'front.png', 'image/png') } }];
	await only(node, { operation: 'createFromImages', name: 'Nia', referenceImages }, items);
	const [, sent] = await sentTo('createPersona');
	expect(sent).toMatchObject({ reference_images: [url, expect.stringMatching(/^http/)] });

	const personaId = byId(String(made?.json.id));
	const updateFields = { name: 'Ada', shared: false };
	await only(node, { operation: 'update', personaId, updateFields });
	const all = await output(node, { operation: 'getAll' });
	expect(all.map(({ json }) => json.name).sort()).toEqual(['Ada', 'Nia']);
	expect(await listed(node, 'searchAllPersonas', 'AD')).toMatchObject([
		{ value: made?.json.id, url: made?.json.preview_url },
	]);
	const [read] = await output(node, { operation: 'get', personaId, downloadPreview: true });
	expect(read?.binary.data).toMatchObject({ mimeType: 'image/png' });
	expect(await only(node, { operation: 'delete', personaId })).toMatchObject({ deleted: true });
});

it('File: each item is one file, sent byte by byte, and its presigned address is kept nowhere', async () => {
	const [large, small] = [file(3_000_000, 'take one.wav', 'audio/wav'), file(5, 'b', 'text/plain')];
	const items = [{ binary: { a: large } }, { binary: { a: small } }];
	const parameters = { operation: 'upload', inputBinaryField: 'a' };
	const run = await runOurs({ node: 'mediaGenFile', items, parameters });
	expect(run.items.map(({ json, pairedItem }) => [json.size, pairedItem])).toEqual([
		[3_000_000, { item: 0 }],
		[5, { item: 1 }],
	]);
	const [{ json } = { json: {} as IDataObject }] = run.items;
	expect(json).toMatchObject({ fileName: 'take one.wav', mimeType: 'audio/wav' });
	expect((await bytesAt(json.url)).equals(large.data)).toBe(true);

	const put = (await sandbox.requests()).find(({ method }) => method === 'PUT');
	const kept = JSON.stringify(run.execution);
	expect(kept).not.toContain('upload_url');
	expect(kept).not.toContain(String(put?.headers['x-upload-token']));
});

describe('Job: Get and Wait', () => {
	it('gives whatever the id identifies, as the service has it', async () => {
		const spoken = { operation: 'create', model: lite, text: 'Hello', ...notWaited };
		const described = {
			operation: 'createFromDescription',
			name: 'Mara',
			description: 'Silver braid',
			...notWaited,
		};
		const made = [
			await only('mediaGen', createParameters(notWaited)),
			await only('mediaGenSpeech', spoken),
			await only('mediaGenAgentRun', { operation: 'create', brief: 'A spot', ...notWaited }),
			await only('mediaGenPersona', described),
		];
		const items = made.map(({ id }) => ({ json: { id } }));
		const jobId = '={{ $json.id }}';
		const got = await output('mediaGenJob', { operation: 'get', jobId }, items);
		expect(got.map(({ json, pairedItem }) => [json.id, json.object, pairedItem])).toEqual(
			['generation', 'speech_generation', 'agent_run', 'persona'].map((object, item) => [
				made[item]?.id,
				object,
				{ item },
			]),
		);

		const waited = await output('mediaGenJob', { operation: 'wait', jobId }, items);
		expect(waited.map(({ json }) => json.status)).toEqual([
			'completed',
			'completed',
			'plan_proposed',
			'ready',
		]);
		expect(sniff(await download(rest, waited[0]?.binary.data))).toBe('image/png');
	});
});

it('Webhook: its signing secret is kept out of the execution unless it is wanted; updated, listed, read and deleted', async () => {
	const node = 'mediaGenWebhook';
	const own = { resource: 'webhook' };
	const url = 'https://example.com/hook';
	const create = { ...own, operation: 'create', url, events: ['voice.created'] };
	const made = await runOurs({ node, parameters: create });
	expect(made.items[0]?.json).toMatchObject({ url, events: ['voice.created'] });
	expect(JSON.stringify(made.execution)).not.toContain('whsec_');
	const withSecret = await only(node, { ...create, options: { includeSigningSecret: true } });
	expect(withSecret.secret).toMatch(/^whsec_/);

	const webhookId = byId(String(made.items[0]?.json.id));
	const updateFields = { url: `${url}/2`, events: ['agent.failed'] };
	await only(node, { ...own, operation: 'update', webhookId, updateFields });
	expect(await only(node, { ...own, operation: 'get', webhookId })).toMatchObject(updateFields);
	expect(await output(node, { ...own, operation: 'getAll' })).toHaveLength(2);
	expect(await listed(node, 'searchWebhooks', 'HOOK/2')).toMatchObject([
		{ value: webhookId.value, name: expect.stringContaining(`${url}/2`) as string },
	]);
	const deliveries = { resource: 'delivery', operation: 'getAll', webhookId };
	expect(await output(node, deliveries)).toEqual([]);
	const gone = await only(node, { ...own, operation: 'delete', webhookId });
	expect(gone).toMatchObject({ id: webhookId.value, deleted: true });
});

it('Workspace: credits; usage since a time, sent in UTC; models by mode, simplified or not', async () => {
	const node = 'mediaGenWorkspace';
	const credits = await only(node, { operation: 'getCredits' });
	expect(credits).toMatchObject({ object: 'credits', available: 10_000 });
	const since = '={{ "2026-01-31T12:00:00+02:00" }}';
	await only(node, { operation: 'getUsage', since });
	const simple = await output(node, { operation: 'getModels', mode: 'audio' });
	const speech = simple.find(({ json }) => json.id === 'service/speech-lite');
	expect(speech?.json.capabilities).toMatchObject({ voice_count: expect.any(Number) as number });
	expect(JSON.stringify(speech)).not.toContain('"voices"');
	await only(node, { operation: 'getModels', mode: '', simplify: false, limit: 1 });
	expect((await requests()).map(({ query }) => query)).toEqual([
		{},
		{ since: '2026-01-31T10:00:00.000Z' },
		{ mode: 'audio' },
		{},
	]);
});

it('every operation of the contract was called, with an idempotency key where it takes one', () => {
	const names = Object.keys(ENDPOINTS) as EndpointName[];
	expect(names.filter((name) => !called.has(name))).toEqual([]);
	expect([...keyed].sort()).toEqual(names.filter(takesKey).sort());
});
