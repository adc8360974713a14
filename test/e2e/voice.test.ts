import type { INodeParameters } from 'n8n-workflow';
import { byId, call, make } from './support/fixtures';
import { listed, runOurs, sandbox } from './support/harness';

const node = 'mediaGenVoice';

const custom = (given: Record<string, unknown>) =>
	({ resource: 'customVoice', ...given }) as INodeParameters;

const asked = async () => (await sandbox.requests()).filter(({ path }) => path.startsWith('/v1/'));

const recording = {
	data: Buffer.from('RIFF a recording'),
	fileName: 'me.wav',
	mimeType: 'audio/wav',
};

beforeEach(async () => await sandbox.reset());

it('Clone uploads a binary field and gives the voice with what it cost', async () => {
	const run = await runOurs({
		node,
		items: [{ binary: { take: recording } }],
		parameters: custom({ operation: 'clone', name: 'Mine', audioUrl: 'binary:take' }),
	});
	expect(run.error).toBeUndefined();
	expect(run.items[0]?.json).toMatchObject({
		object: 'voice',
		kind: 'clone',
		credits_charged: expect.any(Number) as number,
	});
	const created = (await asked()).find(({ operation }) => operation === 'createVoice');
	expect(created?.body).toMatchObject({
		kind: 'clone',
		audio_url: expect.stringMatching(/^http/) as string,
	});
});

it('a creation whose answer was lost is sent again with the same key and paid for once', async () => {
	await sandbox.setFaults([{ kind: 'lost_after', operations: ['createVoice'], times: 1 }]);
	const run = await runOurs({
		node,
		parameters: custom({ operation: 'design', name: 'Mine', description: 'Calm' }),
	});
	expect(run.error).toBeUndefined();
	const { data } = await call<{ data: unknown[] }>('GET', '/voices');
	expect(data).toHaveLength(1);
	const keys = (await asked())
		.filter(({ method }) => method === 'POST')
		.map(({ idempotencyKey }) => idempotencyKey);
	expect(keys).toHaveLength(2);
	expect(new Set(keys).size).toBe(1);
});

it('a voice is renamed, listed and deleted', async () => {
	const id = await make.voice();
	const voiceId = byId(id);
	const renamed = await runOurs({
		node,
		parameters: custom({ operation: 'rename', voiceId, name: 'Yours' }),
	});
	expect(renamed.items[0]?.json).toMatchObject({ id, name: 'Yours' });
	const listed = await runOurs({ node, parameters: custom({ operation: 'getAll' }) });
	expect(listed.items.map(({ json }) => json.name)).toEqual(['Yours']);
	const deleted = await runOurs({ node, parameters: custom({ operation: 'delete', voiceId }) });
	expect(deleted.items).toMatchObject([{ json: { id, deleted: true }, pairedItem: { item: 0 } }]);
	const gone = await runOurs({ node, parameters: custom({ operation: 'get', voiceId }) });
	expect(gone.error?.message).toMatch(/^Not found/);
});

it('a Delete whose answer was lost has deleted, when the repeat finds nothing', async () => {
	const id = await make.voice();
	await sandbox.setFaults([{ kind: 'lost_after', operations: ['deleteVoice'], times: 1 }]);
	const run = await runOurs({
		node,
		parameters: custom({ operation: 'delete', voiceId: byId(id) }),
	});
	expect(run.items.map(({ json }) => json)).toEqual([{ id, deleted: true }]);
	expect((await asked()).filter(({ method }) => method === 'DELETE')).toHaveLength(2);
});

it('a Delete of what never existed is an error', async () => {
	const run = await runOurs({
		node,
		parameters: custom({ operation: 'delete', voiceId: byId('voice_none') }),
	});
	expect(run.error?.message).toMatch(/^Not found/);
});

it('lists are followed over pages where the service pages them, and no limit is sent', async () => {
	await sandbox.settings({ paginateAll: true });
	for (let made = 0; made < 25; made += 1) await make.voice();
	const before = (await asked()).length;
	const all = await runOurs({ node, parameters: custom({ operation: 'getAll', returnAll: true }) });
	expect(all.items).toHaveLength(25);
	const pages = (await asked()).slice(before).map(({ query }) => Object.keys(query ?? {}));
	expect(pages).toEqual([[], ['cursor']]);
	const few = await runOurs({ node, parameters: custom({ operation: 'getAll', limit: 4 }) });
	expect(few.items).toHaveLength(4);
});

it('preset voices are filtered by the service, and short with Simplify', async () => {
	const given = {
		resource: 'presetVoice',
		operation: 'getAll',
		filters: { language: 'de', gender: 'female' },
	};
	const simple = await runOurs({ node, parameters: given });
	expect(simple.items).toHaveLength(1);
	expect(Object.keys(simple.items[0]?.json ?? {})).not.toContain('styles');
	const raw = await runOurs({ node, parameters: { ...given, simplify: false } });
	expect(Object.keys(raw.items[0]?.json ?? {})).toContain('styles');
});

it('the list of custom voices in the editor finds them by name', async () => {
	const id = await make.voice();
	expect(await listed(node, 'searchCustomVoices', 'narr')).toMatchObject([{ value: id }]);
	expect(await listed(node, 'searchCustomVoices', 'zzz')).toEqual([]);
});

it.each<[string, INodeParameters, RegExp]>([
	[
		'a name of 81 characters',
		custom({ operation: 'clone', name: 'n'.repeat(81), audioUrl: 'https://example.com/a.wav' }),
		/^Name has 81 characters; at most 80/,
	],
	[
		'a preview of 501 characters',
		custom({
			operation: 'clone',
			name: 'n',
			audioUrl: 'https://example.com/a.wav',
			additionalFields: { previewText: 'p'.repeat(501) },
		}),
		/^Preview Text has 501 characters; at most 500/,
	],
	[
		'two recordings',
		custom({
			operation: 'clone',
			name: 'n',
			audioUrl: 'https://example.com/a.wav\nhttps://example.com/b.wav',
		}),
		/^Recording takes at most 1 item, got 2/,
	],
	[
		'a recording that is not https',
		custom({ operation: 'clone', name: 'n', audioUrl: 'ftp://example.com/a.wav' }),
		/^Recording must begin with https/,
	],
	[
		'no recording',
		custom({ operation: 'clone', name: 'n', audioUrl: '={{ "" }}' }),
		/^Recording is empty/,
	],
	[
		'no description',
		custom({ operation: 'design', name: 'n', description: '={{ null }}' }),
		/^Description is empty/,
	],
	[
		'an empty new name',
		custom({ operation: 'rename', voiceId: byId('v'), name: '={{ "" }}' }),
		/^Name is empty/,
	],
	['no voice', custom({ operation: 'delete', voiceId: byId('={{ "" }}') }), /^Voice is empty/],
	[
		'an unknown model',
		{ resource: 'presetVoice', operation: 'getAll', model: '={{ "none" }}' },
		/^Model must be one of/,
	],
])('%s is refused before anything is sent', async (_, parameters, message) => {
	const run = await runOurs({ node, parameters });
	expect(run.error?.message).toMatch(message);
	expect(await asked()).toEqual([]);
});
