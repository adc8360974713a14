/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { rest, startOurs } from './support/harness';
import { createParameters } from './support/media';
import { ownSandbox } from './support/ownSandbox';
import { resultOf } from '../../lab/n8n/runNode';

const node = 'mediaGen';

type Creations = Awaited<ReturnType<Awaited<ReturnType<typeof ownSandbox>>['creations']>>;

const keysOf = (requests: Creations) =>
	requests.map(({ headers }) => String((headers as Record<string, unknown>)['idempotency-key']));

describe('idempotency', () => {
	it.concurrent('every item has a key of its own, and runs differ', async () => {
		const { run, creations } = await ownSandbox();
		const items = [{ json: {} }, { json: {} }, { json: {} }];
		await run({ node, items, parameters: createParameters({}) });
		await run({ node, items, parameters: createParameters({}) });
		const keys = keysOf(await creations());
		expect(keys).toHaveLength(6);
		expect(new Set(keys).size).toBe(6);
	});

	it.concurrent(
		'a lost answer is asked for again under the same key and paid for once',
		async () => {
			const { sandbox, run, creations } = await ownSandbox();
			await sandbox.setFaults([{ kind: 'lost_after', operations: ['createGeneration'], times: 1 }]);
			const made = await run({ node, parameters: createParameters({}) });
			expect(made.items[0]?.json).toMatchObject({ status: 'completed' });
			const keys = keysOf(await creations());
			expect(keys).toHaveLength(2);
			expect(new Set(keys).size).toBe(1);
		},
	);

	it.concurrent(
		'Retry On Fail sends the same keys for existing jobs and recreates only the failed one',
		async () => {
			const { sandbox, run, creations } = await ownSandbox();
			await sandbox.setFaults([{ kind: 'job_fail', contains: 'B', times: 1 }]);
			const made = await run({
				node,
				items: [{ json: { p: 'A' } }, { json: { p: 'B' } }, { json: { p: 'C' } }],
				parameters: createParameters({ prompt: '={{ $json.p }}' }),
				retry: { maxTries: 2, waitBetweenTries: 100 },
			});
			expect(made.status).toBe('success');
			const sent = await creations();
			const byPrompt = (prompt: string) =>
				keysOf(sent.filter(({ body }) => (body as { prompt: string }).prompt === prompt));
			expect(new Set(byPrompt('A')).size).toBe(1);
			expect(new Set(byPrompt('C')).size).toBe(1);
			expect(new Set(byPrompt('B')).size).toBe(2);
		},
	);

	it.concurrent.each<[string, number, unknown]>([
		['execution', 3, 'row A [fail]'],
		// Each request is a new one: n8n must not run again.
		['none', 1, undefined],
	])(
		'Retry On Fail with Continue On Fail, Idempotency %s: a failed first row is tried %i times, and no other row is paid for twice',
		async (idempotency, tries, title) => {
			const { sandbox, run } = await ownSandbox();
			const made = await run({
				node,
				items: ['A [fail]', 'B', 'C'].map((p) => ({ json: { p, title: `row ${p}` } })),
				parameters: createParameters({ prompt: '={{ $json.p }}', options: { idempotency } }),
				retry: { maxTries: 3, waitBetweenTries: 100 },
				onError: 'continueRegularOutput',
			});
			expect(made.status).toBe('success');
			const [failed, ...good] = made.items.map(({ json }) => json);
			expect(failed?.error).toMatch(/^The job failed: .*\[item 1 of 3\]$/);
			expect(failed?.title).toBe(title);
			expect(good.map(({ status }) => status)).toEqual(['completed', 'completed']);
			const jobs = (await sandbox.jobs()).map(({ text }) => text).sort();
			expect(jobs).toEqual([...Array.from({ length: tries }, () => 'A [fail]'), 'B', 'C']);
		},
	);

	it.concurrent(
		'Retry Execution asks for nothing that is there, so that nothing is paid for twice',
		async () => {
			const { sandbox, run, creations } = await ownSandbox();
			await sandbox.setFaults([{ kind: 'job_fail', contains: 'B', times: 1 }]);
			const failed = await run({
				node,
				items: [{ json: { p: 'A' } }, { json: { p: 'B' } }],
				parameters: createParameters({ prompt: '={{ $json.p }}' }),
			});
			expect(failed.status).toBe('error');
			const retried = resultOf(
				await rest.executions.wait(await rest.executions.retry(failed.executionId)),
			);
			expect(retried.status).toBe('success');
			expect(retried.items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
			const sent = await creations();
			const keysOfA = keysOf(
				sent.filter(({ body }) => (body as { prompt: string }).prompt === 'A'),
			);
			expect(keysOfA).toHaveLength(1);
		},
	);
});

describe('limits', () => {
	it.concurrent(
		'a batch larger than the concurrent jobs is carried through without a single 429',
		async () => {
			const { sandbox, run } = await ownSandbox();
			const items = Array.from({ length: 12 }, (_, n) => ({ json: { n } }));
			const made = await run({
				node,
				items,
				parameters: createParameters({ prompt: '=Number {{ $json.n }}', downloadOutputs: false }),
			});
			expect(made.items.map(({ json }) => json.status)).toEqual(items.map(() => 'completed'));
			const statuses = (await sandbox.requests()).map(({ status }) => status);
			expect(statuses).not.toContain(429);
		},
	);

	it.concurrent('so is one that does not wait', async () => {
		const { sandbox, run } = await ownSandbox();
		const items = Array.from({ length: 12 }, (_, n) => ({ json: { n } }));
		const made = await run({
			node,
			items,
			parameters: createParameters({ prompt: '=Number {{ $json.n }}', waitForCompletion: false }),
		});
		expect(made.items).toHaveLength(12);
		expect((await sandbox.requests()).map(({ status }) => status)).not.toContain(429);
	});
});

describe('waiting', () => {
	it.concurrent('ends soon after Stop', async () => {
		const { sandbox, credential, creations } = await ownSandbox();
		await sandbox.settings({ clockScale: 1 });
		const { executionId } = await startOurs({
			node,
			credential,
			parameters: createParameters({ mode: 'video', model: 'studio/video-1' }),
		});
		while ((await creations()).length === 0) await new Promise((go) => setTimeout(go, 50));
		await rest.executions.stop(executionId);
		const stopped = await rest.executions.wait(executionId, { timeoutMs: 3_000 });
		expect(stopped.status).toBe('canceled');
		const seen = (await sandbox.requests()).length;
		await new Promise((go) => setTimeout(go, 3_000));
		expect(await sandbox.requests()).toHaveLength(seen);
	});

	it.concurrent('after its timeout names the job and how to continue', async () => {
		const { sandbox, run } = await ownSandbox();
		await sandbox.settings({ clockScale: 1 });
		const made = await run({
			node,
			parameters: createParameters({
				mode: 'video',
				model: 'studio/video-1',
				options: { waitTimeout: 0.1 },
			}),
		});
		expect(made.error?.message).toMatch(/^Not finished after 0.1 minutes \(job [\w-]+\)/);
		expect(made.error?.description).toMatch(/The job goes on at the service: fetch it by its ID/);
	});
});
