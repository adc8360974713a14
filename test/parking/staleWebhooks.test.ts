import type { IExecuteSingleFunctions, IHttpRequestOptions } from 'n8n-workflow';
import type { Listed } from '../../src/parking/registration';
import { removeStaleWebhooks } from '../../src/parking/staleWebhooks';
import type { Service } from '../../src/trigger/connection';
import { answer } from '../../testing/answers';
import { hostWith, workspaceWith } from '../../testing/run';
import { VirtualClock } from '../../testing/virtualClock';

const N8N = 'https://n8n.example/webhook-waiting';
const OWN = `${N8N}/7/mediagen-job?signature=own`;
const OVER = { statusCode: 409, body: 'The execution "1" has finished.' };

type Said = { statusCode: number; body: unknown };

/** A service that lists webhooks, and the n8n behind their addresses. */
function setUp(said: (url: string) => Said | Promise<Said> = () => OVER) {
	const clock = new VirtualClock();
	const probes: IHttpRequestOptions[] = [];
	const removed: string[] = [];
	const listed: Listed[] = [];
	const faults: Error[] = [];
	const host = hostWith(async ({ method, path }) => {
		const [fault] = faults;
		if (fault) throw fault;
		if (method === 'DELETE') removed.push(path.split('/').at(-1) ?? '');
		const data = listed.map(({ id, url, until }) => {
			const at = new Date(until).toISOString();
			return { id, url, description: `n8n-nodes-mediagen: parked wait until ${at}` };
		});
		return answer(200, { data });
	});
	const workspace = workspaceWith(clock, { requestsPerMinute: 10_000 });
	const service = { host, workspace, allows: () => true } as unknown as Service;
	const httpRequest = async (options: IHttpRequestOptions) => {
		probes.push(options);
		return await said(options.url);
	};
	const context = { helpers: { httpRequest } } as unknown as IExecuteSingleFunctions;
	const hook = (id: string, url = `${N8N}/${id}/mediagen-job`, inMs = 3_600_000) => ({
		...{ id, url, until: clock.now() + inMs },
	});
	const sweep = async (hooks: Listed[], own = OWN) => {
		await clock.run(removeStaleWebhooks(context, service, own, hooks));
	};
	return { clock, probes, removed, listed, faults, hook, sweep };
}

test('n8n is asked without following it anywhere, and without a key', async () => {
	const { probes, hook, sweep } = setUp();
	await sweep([hook('1')]);
	expect(probes).toEqual([
		{
			method: 'GET',
			url: `${N8N}/1/mediagen-job`,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			skipSslCertificateValidation: true,
			timeout: 5_000,
		},
	]);
});

test.each<[string, Said | undefined, boolean]>([
	['has finished', OVER, true],
	['has finished, as JSON', { statusCode: 409, body: { message: 'It has Finished' } }, true],
	['is running', { statusCode: 409, body: 'is running already' }, false],
	['does not exist', { statusCode: 404, body: { message: 'does not exist' } }, true],
	['has lost its node', { statusCode: 404, body: 'Could not find node' }, true],
	['waits elsewhere', { statusCode: 404, body: 'no waiting webhook' }, false],
	['is nowhere, in an empty answer', { statusCode: 404, body: undefined }, false],
	['is said to have finished with 200', { statusCode: 200, body: 'finished' }, false],
	['is said to be missing with 409', { statusCode: 409, body: 'does not exist' }, false],
	['is behind a proxy that fails', { statusCode: 502, body: 'host does not exist' }, false],
	['gives no answer', undefined, false],
])('the webhook of an execution that %s: %j, removed: %s', async (_what, said, isRemoved) => {
	const { removed, hook, sweep } = setUp(() => {
		if (!said) throw new Error('ECONNREFUSED');
		return said;
	});
	await sweep([hook('1')]);
	expect(removed).toEqual(isRemoved ? ['1'] : []);
});

test('a minute past its time a webhook is removed without a question, and not before', async () => {
	const { probes, removed, hook, sweep } = setUp(() => ({ statusCode: 500, body: '' }));
	await sweep([hook('1', undefined, -60_000), hook('2', undefined, -60_001)]);
	expect(removed).toEqual(['2']);
	expect(probes.map(({ url }) => url)).toEqual([`${N8N}/1/mediagen-job`]);
});

test.each([
	['its own', OWN],
	['that of another n8n', 'https://other.example/webhook-waiting/1/mediagen-job'],
	['that of another path of this host', 'https://n8n.example/b/webhook-waiting/1/mediagen-job'],
	['one below an execution', `${N8N}/1/mediagen-job/more`],
	['the resume URL itself', `${N8N}/1`],
	['what cannot be an address', 'mediagen-job'],
])('%s is left alone', async (_what, url) => {
	const { probes, removed, hook, sweep } = setUp();
	await sweep([hook('x', url, -3_600_000)]);
	expect([probes, removed]).toEqual([[], []]);
});

test.each(['not an address', `${N8N}/7`, ''])(
	'from an address of its own that says nothing of others, nothing is swept: %s',
	async (own) => {
		const { probes, removed, hook, sweep } = setUp();
		await sweep([hook('1'), hook('x', 'neither'), hook('y', `${N8N}/8`)], own);
		expect([probes, removed]).toEqual([[], []]);
	},
);

test('eight are asked at once, until all have been', async () => {
	let [now, most] = [0, 0];
	const world = setUp(async () => {
		now += 1;
		most = Math.max(most, now);
		await world.clock.sleep(100);
		now -= 1;
		return OVER;
	});
	await world.sweep(Array.from({ length: 20 }, (_, index) => world.hook(String(index))));
	expect([most, world.probes.length, world.removed.length]).toEqual([8, 20, 20]);
});

test('a run waits five seconds for a sweep, which goes on without it', async () => {
	const world = setUp(async () => {
		await world.clock.sleep(8_000);
		return OVER;
	});
	const began = world.clock.monotonic();
	await world.sweep([world.hook('1')]);
	expect(world.clock.monotonic() - began).toBe(5_000);
	expect(world.removed).toEqual([]);
	await world.clock.pass(4_000);
	expect(world.removed).toEqual(['1']);
});

test('a sweep rests four times as long as it took, and then sees to what was left behind meanwhile', async () => {
	const world = setUp(async () => {
		await world.clock.sleep(1_000);
		return OVER;
	});
	await world.sweep([world.hook('1')]);
	world.listed.push(world.hook('2'), world.hook('own', OWN));
	const began = world.clock.monotonic();
	await world.sweep([world.hook('2')]);
	expect(world.clock.monotonic()).toBe(began);
	await world.clock.pass(3_900);
	expect(world.probes).toHaveLength(1);
	await world.clock.pass(2_000);
	expect(world.removed).toEqual(['1', '2']);
	// The second has rested, too: nothing is left of either.
	await world.clock.pass(10_000);
	world.listed.length = 0;
	await world.sweep([world.hook('3')]);
	expect(world.removed).toEqual(['1', '2', '3']);
});

test('where there is nothing to sweep, nobody rests', async () => {
	const { clock, removed, hook, sweep } = setUp();
	await sweep([hook('own', OWN)]);
	expect(clock.sleeps).toEqual([]);
	await sweep([hook('1')]);
	expect(removed).toEqual(['1']);
});

test('a sweep that goes wrong fails neither the run that parks nor a later sweep', async () => {
	const { clock, removed, faults, hook, sweep } = setUp();
	faults.push(new TypeError('broken'));
	await sweep([hook('1')]);
	faults.length = 0;
	await clock.pass(60_000);
	await sweep([hook('2')]);
	expect(removed).toEqual(['2']);
});
