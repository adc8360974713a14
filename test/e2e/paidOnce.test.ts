import type { INodeParameters } from 'n8n-workflow';
import { resultOf } from '../../lab/n8n/runNode';
import type { FaultRules } from '../../lab/sandbox/admin';
import { seeded } from '../model/random';
import { rest } from './support/harness';
import { createParameters, download } from './support/media';
import { ownSandbox } from './support/ownSandbox';

/** Items of a round: the sandbox shows its newest forty jobs, those that failed included. */
const ITEMS = 15;

/** Retry of the execution, until all is well. */
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

/** What goes wrong in every round, now and then: a refusal alone makes the node try one creation a minute. */
const ALWAYS: FaultRules = [
	{ kind: 'storm', retryAfter: '1', operations, probability: 0.03 },
	{ kind: 'slow', seconds: 20, operations, probability: 0.03 },
	{ kind: 'expired_link', probability: 0.05 },
	{ kind: 'cut_download', probability: 0.1 },
];

const MODES: Array<[mode: string, prompt: string, options: INodeParameters]> = [
	['On Retries', '={{ $json.p }} at {{ $now.toMillis() }}', {}],
	['Same Request', '={{ $json.p }}', { idempotency: 'content' }],
	['Own Key', '={{ $json.p }}', { idempotency: 'custom', idempotencyKey: '={{ $json.p }}' }],
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
	return [
		...chosen,
		...ALWAYS,
		...(mayFail ? [{ kind: 'job_fail', probability: 0.05 } as const] : []),
	];
}

it.concurrent.each(MODES)(
	'%s: whatever goes wrong on the way, each item is paid for once and has its file, whole',
	async (mode, prompt, options) => {
		const random = seeded(mode.length);
		const own = await ownSandbox();
		const { sandbox, charged } = own;
		// A job that has failed stays the answer to a key of the user.
		const mayFail = mode !== 'Own Key';
		await sandbox.setFaults(faultsOf(random, mayFail));
		const items = Array.from({ length: ITEMS }, (_, n) => ({ json: { p: `item ${n};` } }));
		let run = await own.run({
			node: 'mediaGen',
			items,
			parameters: createParameters({ prompt, delivery: 'signed_url', options }),
			retry: { maxTries: 2, waitBetweenTries: 0 },
			timeoutMs: 200_000,
		});
		for (let retry = 1; run.status !== 'success' && retry <= MOST_RETRIES; retry += 1) {
			await sandbox.setFaults(retry < 3 ? faultsOf(random, mayFail) : []);
			const id = await rest.executions.retry(run.executionId);
			run = resultOf(await rest.executions.wait(id, { timeoutMs: 200_000 }));
		}
		expect(run.status).toBe('success');
		const files = run.items.map(async ({ binary }) =>
			// Behind the beginning of a PNG.
			(await download(rest, binary.data))
				.subarray(8)
				.toString()
				.replace(/ at \d+$/, ''),
		);
		expect(await Promise.all(files)).toEqual(items.map(({ json }) => `image 0: ${json.p}`));

		// The ledger judges: one charge for each job, and of each item one that has not failed.
		const jobs = await sandbox.jobs();
		expect(await charged()).toHaveLength(jobs.length);
		const paid = items.map(
			({ json }) =>
				jobs.filter(({ text, status }) => text.startsWith(json.p) && status !== 'failed').length,
		);
		expect(paid).toEqual(items.map(() => 1));
	},
	240_000,
);
