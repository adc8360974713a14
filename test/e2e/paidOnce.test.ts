import type { INodeParameters } from 'n8n-workflow';
import { resultOf } from '../../lab/n8n/runNode';
import type { FaultRules } from '../../lab/sandbox/admin';
import { seeded } from '../model/random';
import { rest } from './support/harness';
import { createParameters } from './support/media';
import { ownSandbox } from './support/ownSandbox';

/** Items of a round: the sandbox shows its newest forty jobs, those that failed included. */
const ITEMS = 25;
/** One for each mode; the random sequences of test/transport are thousands. */
const ROUNDS = 4;

/** Retry Execution, until all is well. */
const MOST_RETRIES = 12;

const FAULTS: FaultRules = [
	{ kind: 'lost_before' },
	{ kind: 'lost_after' },
	{ kind: 'status_before', status: 503 },
	{ kind: 'status_after', status: 500 },
	{ kind: 'truncate' },
	...[400, 401, 403, 404].map((status) => ({ kind: 'status_before' as const, status })),
];

const operations = ['createGeneration', 'getGeneration', 'listGenerations'];

const MODES: Array<[string, string, INodeParameters]> = [
	['Execution Item', '={{ $json.p }}', {}],
	[
		'Execution Item, a prompt that reads differently each time',
		'={{ $json.p }} at {{ $now.toMillis() }}',
		{},
	],
	['Content', '={{ $json.p }}', { idempotency: 'content' }],
	['Custom Key', '={{ $json.p }}', { idempotency: 'custom', idempotencyKey: '={{ $json.p }}' }],
];

/** The faults of one run: two of them, often, and jobs that fail now and then. */
function faultsOf(random: () => number, mayFail: boolean): FaultRules {
	const some = [0, 1].map(() => FAULTS[Math.floor(random() * FAULTS.length)] ?? FAULTS[0]);
	const chosen = some.map((fault) => ({
		...fault,
		kind: fault?.kind ?? 'lost_after',
		operations,
		probability: 0.15,
	}));
	return mayFail ? [...chosen, { kind: 'job_fail', probability: 0.05 }] : chosen;
}

async function round(seed: number, [, prompt, options]: (typeof MODES)[number]) {
	const random = seeded(seed);
	const own = await ownSandbox();
	const { sandbox } = own;
	// A job that has failed stays the answer to a key of the user.
	const mayFail = options.idempotency !== 'custom';
	await sandbox.setFaults(faultsOf(random, mayFail));
	const items = Array.from({ length: ITEMS }, (_, n) => ({
		json: { p: `round ${seed} item ${n};` },
	}));
	let run = await own.run({
		node: 'mediaGen',
		items,
		parameters: createParameters({ prompt, downloadOutputs: false, options }),
		retry: { maxTries: 2, waitBetweenTries: 0 },
		timeoutMs: 240_000,
	});
	for (let retry = 1; run.status !== 'success' && retry <= MOST_RETRIES; retry += 1) {
		await sandbox.setFaults(retry < 3 ? faultsOf(random, mayFail) : []);
		const id = await rest.executions.retry(run.executionId);
		run = resultOf(await rest.executions.wait(id, { timeoutMs: 240_000 }));
	}
	return { ...own, run, items };
}

it.concurrent.each(
	Array.from({ length: ROUNDS }, (_, index) => [index + 1, MODES[index % MODES.length]?.[0] ?? '']),
)(
	'round %i, %s: whatever went wrong on the way, each item is paid for once',
	async (seed) => {
		const mode = MODES[(seed - 1) % MODES.length];
		if (!mode) throw new Error('no mode');
		const { sandbox, charged, run, items } = await round(seed, mode);
		expect(run.status).toBe('success');
		expect(run.items).toHaveLength(ITEMS);

		// The ledger judges: one charge for each job, and of each item one that has not failed.
		const jobs = await sandbox.jobs();
		expect(await charged()).toHaveLength(jobs.length);
		const paid = items.map(
			({ json }) =>
				jobs.filter(({ text, status }) => text.startsWith(json.p) && status !== 'failed').length,
		);
		expect(paid).toEqual(items.map(() => 1));
	},
	300_000,
);
