import type { INodeParameters } from 'n8n-workflow';
import { byId, make } from './support/fixtures';
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

it('the list of custom voices in the editor finds them by name', async () => {
	const id = await make.voice();
	expect(await listed(node, 'searchCustomVoices', 'narr')).toMatchObject([{ value: id }]);
	expect(await listed(node, 'searchCustomVoices', 'zzz')).toEqual([]);
});
