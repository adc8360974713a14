import { concerns, judge } from '../../src/parking/judgeEvent';
import type { Parked, ParkedJob } from '../../src/parking/parkedState';
import type { Json } from '../../src/contract';
import type { Service } from '../../src/trigger/connection';
import { readEvent } from '../../src/webhook/event';
import { answer } from '../../testing/answers';
import { BASE_URL, hostWith, workspaceWith } from '../../testing/run';
import { VirtualClock } from '../../testing/virtualClock';

const TERMINAL = { good: ['completed'], bad: ['failed'] };

/** An execution that is parked for these jobs, behind an item that had ended. */
function parkedFor(...jobs: Array<Partial<ParkedJob> & { id: string }>): Parked {
	const items = ['done', ...jobs.map(({ id }) => id)].map((id, item) => ({
		json: { id, finished: id === 'done' },
		pairedItem: { item: item + 10 },
	}));
	const all = jobs.map((job, index) => ({
		index: index + 1,
		path: `/jobs/${job.id}`,
		object: 'generation',
		terminalStatuses: TERMINAL,
		...job,
	}));
	return { state: { webhookId: 'wh', secret: 's', baseUrl: BASE_URL, jobs: all }, items };
}

const generation = (id: string, status: string, more: object = {}) => ({
	id,
	object: 'generation',
	status,
	mode: 'image',
	outputs: [{ id: 'out', url: 'https://x/1', media_type: 'image/png' }],
	...more,
});

/** What becomes of an event when the service shows these jobs. */
async function verdictOf(parked: Parked, payload: Json, jobs: Json[]) {
	const clock = new VirtualClock();
	const host = hostWith(async ({ path }) => {
		if (path === '/generations') return answer(200, { data: [] });
		const job = jobs.find(({ id }) => path === `/jobs/${String(id)}`);
		return job ? answer(200, job) : answer(503);
	});
	const service = { host, workspace: workspaceWith(clock) } as unknown as Service;
	return await clock.run(judge(service, parked, readEvent(payload)));
}

describe('an event may be about a job', () => {
	const parked = parkedFor({ id: 'a' });
	const isAbout = (payload: Json) =>
		concerns(parked, payload, Buffer.from(JSON.stringify(payload)));

	test.each<[string, Json]>([
		['that is its resource', { id: 'evt', data: { object: { id: 'a' } } }],
		['whose id stands anywhere', { id: 'x', object: 'generation', more: [{ deep: 'a' }] }],
		['if it names none', { id: 'evt', type: 'generation.completed' }],
		['if it names nothing at all', { type: 'generation.completed' }],
	])('%s', (_what, payload) => expect(isAbout(payload)).toBe(true));

	test('one of several is enough', () => {
		const several = parkedFor({ id: 'a' }, { id: 'b' });
		const body = Buffer.from('{"data":{"id":"b"}}');
		expect(concerns(several, { data: { id: 'b' } }, body)).toBe(true);
	});

	test.each<[string, Json]>([
		['that is another one', { id: 'evt', data: { object: { id: 'b' } } }],
		['whose id only begins so', { id: 'evt', data: { id: 'ab' } }],
		['that is the event itself', { id: 'b', object: 'generation' }],
	])('not of one %s', (_what, payload) => expect(isAbout(payload)).toBe(false));
});

describe('as long as a job runs', () => {
	const running = generation('a', 'processing', { outputs: undefined });
	const about = (resource: Json) => ({ id: 'evt', data: { object: resource } });

	test.each<[string, Json]>([
		['its end', generation('a', 'completed')],
		['that it has failed', generation('a', 'failed')],
		['its end without the kind', { id: 'a', status: 'completed' }],
	])('the event that reports %s must come again', async (_what, resource) => {
		expect(await verdictOf(parkedFor({ id: 'a' }), about(resource), [running])).toBe('again');
	});

	test.each<[string, Json]>([
		['that it runs', generation('a', 'processing')],
		['no status', { id: 'a', object: 'generation' }],
		['the end of another one', generation('b', 'completed')],
	])('one that reports %s is taken', async (_what, resource) => {
		const parked = parkedFor({ id: 'b' }, { id: 'a' });
		expect(await verdictOf(parked, about(resource), [running])).toBe('parked');
	});

	test('an end that the user has named counts, whatever kind the event names', async () => {
		const terminalStatuses = { good: ['delivered'], bad: [] };
		const parked = parkedFor({ id: 'b' }, { id: 'a', object: 'agent_run', terminalStatuses });
		const seen = { id: 'a', object: 'agent_run', status: 'running' };
		const reported = (status: string) => about({ id: 'a', status });
		expect(await verdictOf(parked, reported('delivered'), [seen])).toBe('again');
		expect(await verdictOf(parked, reported('editing'), [seen])).toBe('parked');
	});
});

test('an event must come again while a job cannot be read', async () => {
	const completed = { id: 'evt', data: { object: generation('a', 'completed') } };
	expect(await verdictOf(parkedFor({ id: 'a' }), completed, [])).toBe('again');
});

describe('once all have ended', () => {
	const event = { id: 'evt', data: { object: { id: 'a' } } };

	test('each job takes the place of its item, one item for all of its files', async () => {
		const outputs = [1, 2].map((id) => ({ id, url: `https://x/${id}`, media_type: 'image/png' }));
		const verdict = await verdictOf(parkedFor({ id: 'a' }, { id: 'b' }), event, [
			generation('a', 'completed', { outputs }),
			generation('b', 'failed', { outputs: undefined }),
		]);
		expect(verdict).toMatchObject([
			{ json: { id: 'done', finished: true }, pairedItem: { item: 10 } },
			{ json: { id: 'a', status: 'completed', finished: true, outputs }, pairedItem: { item: 11 } },
			{ json: { id: 'b', status: 'failed', finished: true }, pairedItem: { item: 12 } },
		]);
		expect(verdict).toHaveLength(3);
	});

	test('a job whose item n8n no longer has adds none', async () => {
		const parked = parkedFor({ id: 'a', index: 7 });
		expect(await verdictOf(parked, event, [generation('a', 'completed')])).toEqual(parked.items);
	});

	test('the items as they were parked stay what they are', async () => {
		const parked = parkedFor({ id: 'a' });
		const before = structuredClone(parked.items);
		await verdictOf(parked, event, [generation('a', 'completed')]);
		expect(parked.items).toEqual(before);
	});
});
