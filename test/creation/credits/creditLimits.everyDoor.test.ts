import type { SendResult, ApiRequest } from '../../../src/base/types';
import { answer } from '../../model/answers';
import { byId, clock, ended, setUp, type Part } from '../../support/serviceRun';

jest.mock('../../../src/base/clock', () => jest.requireActual('../../support/virtualTime'));

/*
 * The limits of credits, judged by a ledger that knows nothing of the client: over all doors, with prices
 * that are known, that are not, and that the service never states, in three executions each.
 */

const PRICE = 2;

const countOf = ({ body }: Pick<ApiRequest, 'body'>): number =>
	(body as { parameters?: { count?: number } }).parameters?.count ?? 1;

type Prices = 'known' | 'unknown' | 'never stated';

interface Door {
	name: string;
	more: Part;
	/** Whether each row is a call of its own, in one execution. */
	isTool?: boolean;
}

const BATCHING = { batching: { batch: { batchSize: 1, batchInterval: 1_000 } } };

const DOORS: Door[] = [
	{ name: 'rows', more: { continueOnFail: true } },
	{ name: 'rows of which one fails the run', more: { continueOnFail: false } },
	{
		name: 'rows with batching',
		more: { continueOnFail: true, given: { requestOptions: BATCHING } },
	},
	{ name: 'calls of a tool', more: { nodeType: 'n8n-nodes-mediagen.mediaGenTool' }, isTool: true },
];

const ROWS = [[4], [1, 1, 16, 1], [16, 4, 1]];

interface Setting {
	door: Door;
	counts: number[];
	prices: Prices;
	limits: object;
	idempotency: string;
}

/** What three executions are charged with, one after the other, and how many jobs each makes. */
async function charged({ door, counts, prices, limits, idempotency }: Setting) {
	let row = 0;
	let options: object = {};
	let execution = 0;
	const ask = (item: number) => ({
		prompt: `${idempotency === 'content' ? '' : execution} ${item}`,
		parameters: { count: counts[item] },
		options,
	});
	const { given, ...more } = door.more;
	const t = setUp({
		service: {
			price: prices === 'never stated' ? undefined : (body) => PRICE * countOf({ body }),
			jobMs: () => 3_000,
			requestsPerMinute: 1_000_000,
		},
		given: { ...given, model: byId('m'), downloadOutputs: false },
		own: (item) => ask(door.isTool ? row : item),
		...more,
	});
	const sum = () => t.model.jobs.reduce((all, job) => all + PRICE * job.count, 0);
	if (prices === 'known') await ended(t.run({ executionId: 'before' }));
	options = { ...limits, idempotency };
	const results: Array<{ credits: number; jobs: number }> = [];
	for (execution = 1; execution <= 3; execution += 1) {
		const before = { credits: sum(), jobs: t.model.jobs.length };
		const shared = { executionId: `e${execution}`, nodeMemory: {} };
		if (door.isTool) {
			for (row = 0; row < counts.length; row += 1) await ended(t.run(shared));
		} else {
			const items = counts.map(() => ({ json: {} }));
			await ended(t.run({ ...shared, items }));
		}
		results.push({ credits: sum() - before.credits, jobs: t.model.jobs.length - before.jobs });
	}
	return results;
}

describe.each(DOORS)('$name', (door) => {
	test.each<[Prices, string]>([
		['known', 'execution'],
		['known', 'content'],
		['unknown', 'execution'],
		['unknown', 'content'],
		['never stated', 'execution'],
		['never stated', 'content'],
	])('prices that are %s, %s', async (prices, idempotency) => {
		for (const maxCredits of [1, 10])
			for (const counts of ROWS) {
				const limits = { maxCredits };
				const executions = await charged({ door, counts, prices, limits, idempotency });
				const wrong = executions.filter(({ credits, jobs }, index) => {
					const isFirst = index === 0;
					if (credits <= maxCredits) return false;
					// One job of a kind goes out to learn its price: in the first execution, or in each where
					// the service says nothing.
					return jobs > 1 || prices === 'known' || (prices === 'unknown' && !isFirst);
				});
				expect({ maxCredits, counts, executions, wrong }).toMatchObject({ wrong: [] });
				// What fits is made.
				const fits = prices === 'known' && counts.some((count) => PRICE * count <= maxCredits);
				const isStopped = door.name.includes('fails');
				if (fits && !isStopped) expect([counts, executions[0]?.jobs]).not.toEqual([counts, 0]);
			}
	});
});

test('Max Credits per Day over two keys and two processes, in executions one after the other', async () => {
	const noon = Date.parse('2026-01-15T12:00:00Z');
	clock.setWall(noon - clock.now());
	for (const counts of ROWS)
		for (const maxCreditsPerDay of [1, 10, 40]) {
			const options = { maxCreditsPerDay };
			const part: Part = {
				service: { price: (body) => PRICE * countOf({ body }), saysWhen: true, jobMs: () => 1_000 },
				json: counts.map(() => ({})),
				given: { model: byId('m'), downloadOutputs: false },
				continueOnFail: true,
			};
			const service = setUp(part);
			const send = async (request: ApiRequest): Promise<SendResult> =>
				request.path === '/usage'
					? answer(200, { object: 'usage', data: [] })
					: await service.model.send(request);
			// The workspace has made one picture today.
			await ended(service.run({ items: [{ json: {} }] }, { prompt: 'before' }));
			let number = 0;
			const clients = [1, 2].map(() =>
				setUp({
					...part,
					answers: send,
					own: (item) => ({
						prompt: `${number} ${item}`,
						parameters: { count: counts[item] },
						options,
					}),
				}),
			);
			for (let round = 0; round < 2; round += 1)
				for (const client of clients) {
					number += 1;
					await ended(client.run({ executionId: `e${number}`, nodeMemory: {} }));
				}
			const sum = service.model.jobs.reduce((all, { credits }) => all + credits, 0);
			expect([counts, maxCreditsPerDay, sum <= Math.max(PRICE, maxCreditsPerDay)]).toEqual([
				counts,
				maxCreditsPerDay,
				true,
			]);
			// All that fits is made: in whole jobs of the cheapest row.
			const cheapest = PRICE * Math.min(...counts);
			const rounds = 4 * PRICE * counts.reduce((all, one) => all + one, 0);
			const isFull = sum + cheapest > maxCreditsPerDay || sum >= rounds;
			expect([counts, maxCreditsPerDay, sum, isFull]).toEqual([
				counts,
				maxCreditsPerDay,
				sum,
				true,
			]);
		}
});
