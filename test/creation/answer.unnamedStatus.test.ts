import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest } from '../../src/base/types';
import { ExecutionSum } from '../../src/creation/credits/ledger';
import type { NodeMemory } from '../../src/creation/idempotency/itemState';
import { answer, errorBody, LOST } from '../model/answers';
import { byId, clock, ended, setUp } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

/*
 * The specification names six statuses of refusals and says that there are more (Errors 5). What the service
 * refuses with any other 4xx is final, as a 422 is: nothing is open, the same request keeps its key, and the
 * other rows go on. So is a 409, once it has not passed for half a minute. Not so what a gateway says in the
 * place of the service, a 408 or a 425, which leave open what was done.
 */

/** Those that the specification or a protocol gives a meaning of their own. */
const NAMED = [400, 401, 402, 403, 404, 407, 408, 409, 425, 429];

const UNNAMED = Array.from({ length: 100 }, (_, index) => 400 + index).filter(
	(status) => !NAMED.includes(status),
);

const LIMITS = { maxCredits: 1_000, maxCreditsPerDay: 1_000 };

const promptOf = ({ body }: ApiRequest) => (body as { prompt?: string }).prompt;

/** A run whose first row is refused so, and the next try of the same, which is refused no more. */
async function refusedWith(status: number, isLimited: boolean, continueOnFail: boolean) {
	let isRefusing = true;
	const t = setUp({
		service: { price: () => 2 },
		json: [{}, {}, {}],
		given: { model: byId('m'), downloadOutputs: false, options: isLimited ? LIMITS : {} },
		own: (row) => ({ prompt: `row ${row}` }),
		credential: { concurrentJobs: 1 },
		continueOnFail,
		answers: (asked) =>
			isRefusing && asked.method === 'POST' && promptOf(asked) === 'row 0'
				? answer(status, errorBody('No'))
				: undefined,
	});
	const nodeMemory: IDataObject = {};
	const { items, error } = await ended(t.run({ nodeMemory }));
	const { state } = (nodeMemory.mediaGen as unknown as NodeMemory).items['0:0'] ?? {};
	const said = continueOnFail ? items.map(({ json }) => json.error).join() : error?.message;
	const first = {
		state,
		open: { ...new ExecutionSum(nodeMemory).stored.open },
		jobs: t.model.jobs.length,
		isSaid: said?.includes(': No'),
	};
	isRefusing = false;
	await ended(t.run({ nodeMemory }));
	const keys = t
		.posts()
		.filter((asked) => promptOf(asked) === 'row 0')
		.map(({ headers }) => headers?.['Idempotency-Key']);
	return {
		...first,
		jobsAfterwards: t.model.jobs.length,
		requests: keys.length,
		keys: new Set(keys).size,
	};
}

const FINAL = {
	state: { is: 'new', keyNumber: 0 },
	open: {},
	jobs: 2,
	isSaid: true,
	jobsAfterwards: 3,
	requests: 2,
	keys: 1,
};

test.each([
	['On Error: Stop', 'without a limit of credits', false, false],
	['On Error: Stop', 'under limits of credits', true, false],
	['On Error: Continue', 'without a limit of credits', false, true],
	['On Error: Continue', 'under limits of credits', true, true],
])('%s, %s: each ends its row and nothing else', async (_, __, isLimited, continueOnFail) => {
	const conflict = await refusedWith(409, isLimited, continueOnFail);
	expect(conflict).toEqual({ ...FINAL, requests: conflict.requests });
	expect(conflict.requests).toBeGreaterThan(4);
	for (const status of UNNAMED)
		expect({ status, ...(await refusedWith(status, isLimited, continueOnFail)) }).toEqual({
			status,
			...FINAL,
		});
});

test('after an answer that was lost a 409 leaves open what was done, in the next try too', async () => {
	let says = LOST;
	const t = setUp({
		given: { model: byId('m'), prompt: 'a cat', options: { waitTimeout: 10 } },
		answers: ({ method }) => (method === 'POST' ? says : undefined),
	});
	for (const then of [LOST, answer(409, errorBody('No'))]) {
		says = then;
		const began = clock.monotonic();
		const { error } = await ended(t.run());
		expect(error?.description).toMatch(/Whether the request was carried out is not known/);
		expect(clock.monotonic() - began).toBeGreaterThan(5 * 60_000);
	}
	expect(new Set(t.posts().map(({ headers }) => headers?.['Idempotency-Key'])).size).toBe(1);
});
