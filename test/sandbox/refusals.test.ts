import { ENDPOINTS, EVENTS, type EndpointName } from '../../src/api';
import type { Table } from '../../sandbox/store';
import type { Stored } from '../../sandbox/entities';
import { expectSame } from '../support/same';
import { BODIES, changed, LITE, OPERATIONS } from './support/bodies';
import { anImage, startHarness, type Answer, type Harness } from './support/harness';

let service: Harness;
let events = 0;

beforeAll(async () => {
	service = await startHarness({ settings: { initialCredits: 1_000, jobJitter: 0 } });
	const { dispatcher } = service.sandbox.service;
	const emit = dispatcher.emit.bind(dispatcher);
	dispatcher.emit = (...about) => {
		events += 1;
		emit(...about);
	};
});
afterAll(async () => {
	expect(service.reported).toEqual([]);
	await service.close();
});

/** All that a refusal must leave as it was: credits, usage, each table, keys, what is still to happen. */
function state(): string {
	const { store, ledger, usage, settings, faults } = service.sandbox.service;
	const rows = <T extends Stored>(table: Table<T>) => table.all();
	const workspaces = [...store.workspaces.values()].map((workspace) => ({
		entity: workspace.entity,
		balance: ledger.balance(workspace.id),
		usage: usage.sums(workspace.id),
		tables: [
			rows(workspace.files),
			rows(workspace.outputs),
			rows(workspace.generations),
			rows(workspace.speech),
			rows(workspace.agentRuns),
			rows(workspace.voices),
			rows(workspace.personas),
			rows(workspace.webhooks),
			[...workspace.deliveries.values()].map(rows),
		],
	}));
	const admin = { keys: [...store.keys.values()], settings, faults: faults.list() };
	const happens = { events, timers: service.timers.pending };
	return JSON.stringify({ lines: ledger.read(), workspaces, admin, happens });
}

/** Asks, and holds that nothing has changed if the answer is a refusal. */
async function asked(what: string, ask: () => Promise<Answer>): Promise<number> {
	const before = state();
	const { status } = await ask();
	if (status >= 400 && state() !== before) throw new Error(`${what} was ${status}: a change`);
	return status;
}

const make = async (path: string, body: object, key?: string): Promise<string> => {
	const answer = await service.post(path, body, { key });
	expect([path, body, answer.status < 300]).toEqual([path, body, true]);
	return answer.body.id;
};

/** Something of each kind in each state that lasts; their ids. */
async function furnish(): Promise<string[]> {
	const describe = (description: string) => ({ ...BODIES.createPersona, description });
	const webhook = { url: 'https://127.0.0.1:9/hook', events: [...EVENTS] };
	const run = async () => await make('/agents/runs', { brief: 'a fox' });
	const approve = async (id: string) =>
		await make(`/agents/runs/${id}/approve`, { max_credits: 40 });
	const ended = [
		await make('/generations', anImage()),
		await make('/generations', anImage({ prompt: '[fail]' })),
		await make('/speech', { model: LITE, blocks: [{ text: 'a' }] }),
		await make('/personas', describe('an owl')),
		await make('/personas', describe('[fail]')),
		await approve(await run()),
	];
	const { sandbox } = service;
	service.pass(100);
	const quiet = async () => await service.admin('GET', '/overview');
	await service.until(quiet, () => sandbox.service.ledger.balance('studio').reserved === 0);
	return [
		...ended,
		await make('/generations', anImage()),
		await make('/speech', { model: LITE, blocks: [{ text: 'a' }] }),
		await make('/personas', describe('an owl')),
		await run(),
		await approve(await run()),
		await approve(await run()),
		await make('/voices', { kind: 'design', name: 'a', description: 'b' }),
		await make('/files', BODIES.createFile ?? {}),
		await make('/webhooks', webhook),
	];
}

/** Bodies of an operation that are wrong in one place, and the right one last. */
const bodiesFor = (body: object | undefined): Array<object | undefined> =>
	body === undefined
		? [undefined]
		: [
				...Object.keys(body).map((field) => changed(body, field, { not: 'this' })),
				[],
				undefined,
				body,
			];

test('a refusal by any operation, for any resource in any state and workspace, changes nothing', async () => {
	const { keys } = service;
	const strange = ['nothing', '%00', '%E0%A4%A'];
	const others = [await make('/agents/runs', { brief: 'a fox' }, keys.other)];
	const ids = [...(await furnish()), ...others, ...strange];
	const refused = new Map<number, number>();
	const seen = new Set<EndpointName>();
	for (const { name, method, path, body } of OPERATIONS) {
		const places = path.includes('{id}') ? ids.map((id) => path.replace('{id}', id)) : [path];
		for (const place of places) {
			const strangers = [null, keys.unentitled, keys.read].map((key) => ({ key, sent: body }));
			const mistakes = bodiesFor(body).map((sent) => ({ key: keys.all, sent }));
			for (const { key, sent } of [...strangers, ...mistakes]) {
				const what = `${method} ${place} ${JSON.stringify(sent)} by ${key}`;
				const ask = async () => await service.call(method, place, { key, body: sent });
				const status = await asked(what, ask);
				if (status < 400) continue;
				refused.set(status, (refused.get(status) ?? 0) + 1);
				seen.add(name);
			}
		}
	}
	expect([...seen].sort()).toEqual(Object.keys(ENDPOINTS).sort());
	for (const status of [400, 401, 403, 404]) expect(refused.get(status)).toBeGreaterThan(100);
});

test('nor does one for want of credits, for too many at once, or under a key that was used', async () => {
	await service.admin('POST', '/reset');
	const paid = OPERATIONS.filter(
		({ extra, path }) => extra.includes(402) && !path.includes('{id}'),
	);
	const run = await make('/agents/runs', { brief: 'a fox' });
	const headers = { 'idempotency-key': 'k' };
	const create = async (body: object) => await service.post('/generations', body, { headers });
	expect((await create(anImage())).status).toBe(202);
	expect(await asked('another body', async () => await create(anImage({ prompt: 'b' })))).toBe(400);
	for (let index = 1; index < 5; index += 1) await make('/generations', anImage());
	const sixth = async () => await service.post('/generations', anImage());
	expect(await asked('the sixth', sixth)).toBe(429);
	service.pass(100);
	await service.admin('POST', '/credits', { workspace: 'studio', amount: -1_000 });
	expect(paid).toHaveLength(4);
	const approval = { path: `/agents/runs/${run}/approve`, body: BODIES.approveAgentRun };
	for (const { path, body } of [...paid, approval])
		expect(await asked(path, async () => await service.post(path, body))).toBe(402);
	await service.admin('PATCH', '/settings', { requestsPerMinute: 1 });
	for (const { method, path, body } of OPERATIONS) {
		const place = path.replace('{id}', run);
		const ask = async () => await service.call(method, place, { body });
		expectSame(await asked(place, ask), 429);
	}
});

test('nor does one at an address of a file or at the admin path', async () => {
	await service.admin('POST', '/reset');
	const file = { filename: 'a.txt', content_type: 'text/plain', size: 2 };
	const { body: created } = await service.post('/files', file);
	const { upload_url, upload_headers: right, url } = created;
	const generation = await make('/generations', anImage({ delivery: 'signed_url' }));
	service.pass(60);
	const [output] = (await service.get(`/generations/${generation}`)).body.outputs;
	const put = (address: string, headers: object, raw: string) => async () =>
		await service.send('PUT', address, { key: null, raw, headers: { ...right, ...headers } });
	const read = (address: string) => async () => await service.send('GET', address, { key: null });
	const authorization = `Bearer ${service.keys.all}`;
	const wrong: Array<[number, () => Promise<Answer>]> = [
		[400, put(upload_url, { authorization }, 'hi')],
		[400, put(upload_url, { 'content-type': 'image/png' }, 'hi')],
		[400, put(upload_url, {}, 'too much')],
		[403, put(upload_url.replace(/expires=\d/, 'expires=9'), {}, 'hi')],
		[404, read(url)],
		[403, read(output.url.split('?')[0])],
		[404, read(output.url.replace('/outputs/', '/outputs/x'))],
		[404, read(output.url.replace(/\/outputs\/.*/, '/samples/nobody.wav'))],
		[400, async () => await service.admin('PATCH', '/settings', { clockScale: 0, voices: 1 })],
		[400, async () => await service.admin('PUT', '/faults', { rules: [{ kind: 'x' }] })],
		[400, async () => await service.admin('POST', '/credits', { workspace: 'studio' })],
		[404, async () => await service.admin('POST', '/credits', { workspace: 'x', amount: 1 })],
		[400, async () => await service.admin('POST', '/keys', { key: 'k', workspace: 'new' })],
		[400, async () => await service.admin('PATCH', '/workspaces/studio', { entitled: 1 })],
		[404, async () => await service.admin('PATCH', '/workspaces/x', { entitled: true })],
		[404, async () => await service.admin('GET', '/ledger?workspace=x')],
	];
	for (const [index, [status, ask]] of wrong.entries())
		expect([index, await asked(String(index), ask)]).toEqual([index, status]);
	expect((await put(upload_url, {}, 'hi')()).status).toBe(200);
	expect(await asked('twice', put(upload_url, {}, 'hi'))).toBe(403);
});
