/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { rest, startOurs } from './support/harness';
import { createParameters } from './support/media';
import { ownSandbox } from './support/ownSandbox';

const node = 'mediaGen';

type Creations = Awaited<ReturnType<Awaited<ReturnType<typeof ownSandbox>>['creations']>>;

const keysOf = (requests: Creations) =>
	requests.map(({ headers }) => String((headers as Record<string, unknown>)['idempotency-key']));

describe('idempotency', () => {
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
});
