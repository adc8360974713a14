import type { INodeExecutionData } from 'n8n-workflow';
import { answer, errorBody, LOST } from '../model/answers';
import { dice } from '../model/random';
import { playSeeds } from '../support/seed';
import { byId, setUp } from '../support/serviceRun';
import { cases } from '../support/thorough';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

/*
 * A run of a node ends with an error, or with a result for each of its items. n8n takes a run without an
 * error as a success however few items come out, so an item that is neither would be lost in silence.
 */

const RUNS = cases(1_000);
const ITEMS = 6;

/** Half of them hold for all items of a run, which is then halted. */
const STATUSES = [401, 402, 403, 407, 400, 404, 429, 503];

/** One random run of a few items. @returns which of them have a result, unless the run ended with an error */
async function resultsOf(seed: number): Promise<number[] | 'error'> {
	const { random, pick } = dice(seed);
	const status = pick(...STATUSES);
	const faulty = pick('GET', 'POST');
	const share = pick(0.1, 0.3, 0.6);
	const idempotency = pick('execution', 'content', 'custom', 'none');
	const t = setUp({
		json: Array.from({ length: ITEMS }, () => ({})),
		own: (item) => ({
			prompt: `p${item}`,
			options: {
				idempotency,
				...(idempotency === 'custom' && { idempotencyKey: `key ${seed} of ${item}` }),
				...pick({}, { onInsufficientCredits: 'wait', creditWaitTimeout: 1 }),
				...pick({}, { maxCredits: 15 }),
			},
		}),
		given: {
			model: byId('m'),
			downloadOutputs: false,
			waitForCompletion: pick(true, false),
		},
		continueOnFail: random() < 0.2,
		answers: ({ method }) => {
			if (method !== faulty || random() >= share) return undefined;
			return random() < 0.2 ? LOST : answer(status, errorBody('of this test'));
		},
	});
	const items = await t.run().catch((): INodeExecutionData[] | undefined => undefined);
	if (items === undefined) return 'error';
	return [...new Set(items.map(({ pairedItem }) => (pairedItem as { item: number }).item))];
}

const all = Array.from({ length: ITEMS }, (_, item) => item);

test('a run without an error has a result for each item, whatever the service answers', async () => {
	let complete = 0;
	await playSeeds(RUNS, async (seed) => {
		const results = await resultsOf(seed);
		if (results === 'error') return [];
		complete += 1;
		return all.filter((item) => !results.includes(item)).map((item) => `Item ${item} is lost`);
	});
	// Neither do all of them fail.
	expect(complete).toBeGreaterThan(RUNS / 10);
	expect(complete).toBeLessThan(RUNS);
});
