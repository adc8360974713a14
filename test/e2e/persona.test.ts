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

const change = (updateFields: Record<string, unknown>) =>
	({
		operation: 'update',
		personaId: byId('3b241101-e2bb-4255-8caf-4136c566a962'),
		updateFields,
	}) as INodeParameters;

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

it('a described persona is given while it is pending when it is not waited for', async () => {
	const run = await runOurs({ node, parameters: described({ waitForCompletion: false }) });
	expect(run.items[0]?.json).toMatchObject({ status: 'pending' });
	expect(await asked()).toHaveLength(1);
});

it('a described persona that fails is an error that names it', async () => {
	const run = await runOurs({ node, parameters: described({ description: 'Nobody [fail]' }) });
	expect(run.error?.message).toMatch(/^The job failed: .* \(job [\w-]+\)$/);
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

it("the bound of the images is the service's where schema and guide disagree", async () => {
	await sandbox.settings({ personaImages: 'guide' });
	const images = Array.from({ length: 10 }, (_, index) => url(String(index)));
	expect((await runOurs({ node, parameters: pictured(images) })).error).toBeUndefined();
	const few = await runOurs({ node, parameters: pictured(url('a')) });
	expect(few.error?.message).toMatch(
		/^The service refused the request as invalid: Reference Images/,
	);
});

it('Update sends only what is set', async () => {
	const id = await make.persona();
	const run = await runOurs({
		node,
		parameters: { operation: 'update', personaId: byId(id), updateFields: { shared: false } },
	});
	expect(run.items[0]?.json).toMatchObject({ id, name: 'Mara' });
	expect((await asked()).at(-1)).toMatchObject({ method: 'PATCH', body: { shared: false } });
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

it.each<[string, INodeParameters, RegExp]>([
	['no image', pictured('={{ "" }}'), /^Reference Images is empty/],
	[
		'11 images',
		pictured(Array(11).fill(url('a'))),
		/^Reference Images takes at most 10 items, got 11/,
	],
	[
		'an image by http',
		pictured('http://example.com/a.png'),
		/^Reference Images must begin with https/,
	],
	[
		'a name of 81 characters',
		described({ name: 'n'.repeat(81) }),
		/^Name has 81 characters; at most 80/,
	],
	[
		'a description of 801 characters',
		described({ description: 'd'.repeat(801) }),
		/^Description has 801 characters; at most 800/,
	],
	['an update of nothing', change({}), /^Update Fields has nothing to update/],
	['an update to no name', change({ name: '' }), /^Update Fields has nothing to update/],
	[
		'an update by an expression that gives nothing',
		change({ name: '={{ $json.x }}' }),
		/^Name is empty/,
	],
	[
		'an update to half a flag',
		change({ shared: '={{ "maybe" }}' }),
		/^Shared must be true or false, got "maybe"/,
	],
])('%s is refused before anything is sent', async (_, parameters, message) => {
	const run = await runOurs({ node, parameters });
	expect(run.error?.message).toMatch(message);
	expect(await asked()).toEqual([]);
});
