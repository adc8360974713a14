import type { INodeParameters } from 'n8n-workflow';
import { byId, make } from './support/fixtures';
import { listed, runOurs, sandbox } from './support/harness';

const node = 'mediaGenPersona';
const asked = async () => (await sandbox.requests()).filter(({ path }) => path.startsWith('/v1/'));
const url = (name: string) => `https://example.com/${name}.png`;

const described = (given: Record<string, unknown> = {}) =>
	({
		operation: 'createFromDescription',
		name: 'Mara',
		description: 'Silver braid',
		...given,
	}) as INodeParameters;

const pictured = (referenceImages: unknown) =>
	({ operation: 'createFromImages', name: 'Mara', referenceImages }) as INodeParameters;

beforeEach(async () => await sandbox.reset());

it('a described persona is waited for until it is ready', async () => {
	const run = await runOurs({ node, parameters: described() });
	expect(run.error).toBeUndefined();
	expect(run.items[0]?.json).toMatchObject({ object: 'persona', status: 'ready', name: 'Mara' });
	expect(run.items[0]?.pairedItem).toEqual({ item: 0 });
});

it('Download Preview gives the portrait as a picture', async () => {
	const run = await runOurs({
		node,
		parameters: described({ options: { downloadPreview: true } }),
	});
	expect(run.error).toBeUndefined();
	expect(run.items[0]?.json).toMatchObject({ status: 'ready' });
	expect(run.items[0]?.binary.data).toMatchObject({
		mimeType: 'image/png',
		fileName: expect.stringMatching(/^mara-preview-.*\.png$/) as string,
	});
	const personaId = byId(String(run.items[0]?.json.id));
	const read = await runOurs({
		node,
		parameters: { operation: 'get', personaId, downloadPreview: true, options: {} },
	});
	expect(read.items[0]?.binary.data).toMatchObject({ mimeType: 'image/png' });
});

it('images come from URLs and binary fields together', async () => {
	const photo = { data: Buffer.from('\x89PNG'), fileName: 'front.png', mimeType: 'image/png' };
	const run = await runOurs({
		node,
		items: [{ binary: { photo } }],
		parameters: pictured(`${url('a')}\nbinary:photo`),
	});
	expect(run.error).toBeUndefined();
	const created = (await asked()).find(({ operation }) => operation === 'createPersona');
	expect(created).toMatchObject({
		status: 201,
		body: { reference_images: [url('a'), expect.stringMatching(/^http/)] },
	});
});

it('Get gives a persona, Get Many lists it, and Delete removes it', async () => {
	const id = await make.persona();
	const got = await runOurs({ node, parameters: { operation: 'get', personaId: byId(id) } });
	expect(got.items[0]?.json).toMatchObject({ id, status: 'ready' });
	const many = await runOurs({ node, parameters: { operation: 'getAll' } });
	expect(many.items.map(({ json }) => json.id)).toEqual([id]);
	const gone = await runOurs({ node, parameters: { operation: 'delete', personaId: byId(id) } });
	expect(gone.items[0]?.json).toMatchObject({ id, deleted: true });
});

it('the list in the editor finds a persona by name', async () => {
	const id = await make.persona();
	expect(await listed(node, 'searchAllPersonas', 'MAR')).toMatchObject([{ value: id }]);
});
