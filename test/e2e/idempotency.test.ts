/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { rest, type OurRun } from './support/harness';
import { createParameters, download } from './support/media';
import { ownSandbox } from './support/ownSandbox';

const node = 'mediaGen';
const PIXEL = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

const file = (data: Buffer) => ({ data, fileName: 'photo.png', mimeType: 'image/png' });

type Run = Awaited<ReturnType<typeof ownSandbox>>['run'];

describe('By Content', () => {
	const content = (given: Record<string, unknown>) =>
		createParameters({ ...given, options: { idempotency: 'content' } });

	/** The same workflow run twice: By Content goes by the node, wherever it runs. */
	async function twice(run: Run, what: OurRun) {
		const first = await run(what);
		const again = await rest.workflows.run(first.workflowId, 'Start');
		return { first, second: await rest.executions.wait(again) };
	}

	const idsOf = (execution: Awaited<ReturnType<typeof twice>>['second']) => {
		const main = execution.data.resultData.runData['Node under test']?.at(-1)?.data?.main;
		return (main?.[0] ?? []).map(({ json }) => json.id);
	};

	it.concurrent('a run repeated gets the same media back and pays nothing', async () => {
		const { charged, run } = await ownSandbox();
		const { first, second } = await twice(run, { node, parameters: content({ prompt: 'A boat' }) });
		expect(idsOf(second)).toEqual(first.items.map(({ json }) => json.id));
		expect(await charged()).toHaveLength(1);
	});

	it.concurrent('also when it sends a file', async () => {
		const { charged, run } = await ownSandbox();
		const { first, second } = await twice(run, {
			node,
			items: [{ binary: { photo: file(PIXEL) } }],
			parameters: content({ input: { reference_images: 'binary:photo' } }),
		});
		expect(first.status).toBe('success');
		expect(idsOf(second)).toEqual(first.items.map(({ json }) => json.id));
		expect(await charged()).toHaveLength(1);
	});

	it.concurrent('identical items of one run share one job', async () => {
		const { run, charged } = await ownSandbox();
		const made = await run({
			node,
			items: [{}, {}, {}],
			parameters: content({ prompt: 'A boat', downloadOutputs: false }),
		});
		expect(made.items).toHaveLength(3);
		expect(new Set(made.items.map(({ json }) => json.id)).size).toBe(1);
		expect(await charged()).toHaveLength(1);
	});

	it.concurrent('a failed job of an earlier run is created again', async () => {
		const { sandbox, run } = await ownSandbox();
		await sandbox.setFaults([{ kind: 'job_fail', contains: 'boat', times: 1 }]);
		const first = await run({ node, parameters: content({ prompt: 'A boat' }) });
		const again = await rest.workflows.run(first.workflowId, 'Start');
		const second = await rest.executions.wait(again);
		expect(second.status).toBe('success');
		expect(idsOf(second)).toHaveLength(1);
	});
});

describe('Custom Key', () => {
	it.concurrent('is sent unchanged, and a repeat returns the same job', async () => {
		const { run, charged } = await ownSandbox();
		const parameters = createParameters({
			options: { idempotency: 'custom', idempotencyKey: 'order-17' },
		});
		const one = await run({ node, parameters });
		const other = await run({ node, parameters });
		expect(other.items[0]?.json.id).toBe(one.items[0]?.json.id);
		expect(await charged()).toHaveLength(1);
	});

	it.concurrent('gives the same job where it sends a file, which is uploaded once', async () => {
		const { run, charged } = await ownSandbox();
		const parameters = createParameters({
			downloadOutputs: false,
			input: { reference_images: 'binary:photo' },
			options: { idempotency: 'custom', idempotencyKey: 'order-19' },
		});
		const items = [{ binary: { photo: file(PIXEL) } }];
		const one = await run({ node, items, parameters });
		const other = await run({ node, items, parameters });
		expect(one.status).toBe('success');
		expect(other.items[0]?.json.id).toBe(one.items[0]?.json.id);
		expect(await charged()).toHaveLength(1);
	});

	it.concurrent(
		'one key for items that ask for different things is refused before anything is sent',
		async () => {
			const { sandbox, run } = await ownSandbox();
			const made = await run({
				node,
				items: [{ json: { p: 'A boat' } }, { json: { p: 'A car' } }],
				parameters: createParameters({
					prompt: '={{ $json.p }}',
					options: { idempotency: 'custom', idempotencyKey: 'order-18' },
				}),
			});
			expect(made.error?.message).toMatch(/^Own Key is the same for items 1 and 2/);
			expect((await sandbox.requests()).filter(({ method }) => method === 'POST')).toEqual([]);
		},
	);
});

describe('None', () => {
	it.concurrent('sends no key, and nothing a second time after a lost answer', async () => {
		const { sandbox, run } = await ownSandbox();
		await sandbox.setFaults([{ kind: 'lost_after', operations: ['createGeneration'], times: 1 }]);
		const made = await run({
			node,
			parameters: createParameters({ options: { idempotency: 'none' } }),
		});
		expect(made.error?.message).toMatch(/^The service did not respond/);
		expect(made.error?.description).toMatch(
			/not known\. It had no idempotency key, so it was not sent again/,
		);
		const posts = (await sandbox.requests()).filter(({ method }) => method === 'POST');
		expect(posts).toHaveLength(1);
		expect(posts[0]?.headers).not.toHaveProperty('idempotency-key');
	});
});

describe('when credits run out', () => {
	const items = Array.from({ length: 8 }, (_, n) => ({ json: { n } }));
	const batch = (options: Record<string, unknown>) =>
		createParameters({ prompt: '=Number {{ $json.n }}', parameters: { quality: 'low' }, options });

	it.concurrent(
		'Stop: what is under way finds out, nothing more is sent, and the error counts',
		async () => {
			const { sandbox, run, leave } = await ownSandbox();
			await leave(0);
			const made = await run({ node, items, parameters: batch({}) });
			expect(made.error?.description).toMatch(/0 items were submitted, 8 were not/);
			// As many as the plan runs jobs may be under way when the first is refused.
			const sent = (await sandbox.requests()).filter(({ method }) => method === 'POST');
			expect(sent.length).toBeLessThanOrEqual(5);
		},
	);

	it.concurrent(
		'Continue With Error Items: what could be paid for is there, the rest are error items',
		async () => {
			const { run, leave } = await ownSandbox();
			await leave(3);
			const made = await run({
				node,
				items,
				parameters: batch({ onInsufficientCredits: 'continue' }),
			});
			expect(made.status).toBe('success');
			expect(made.items).toHaveLength(8);
			expect(made.items.filter(({ binary }) => 'data' in binary)).toHaveLength(3);
			const failed = made.items.filter(({ json }) => json.error !== undefined);
			expect(failed).toHaveLength(5);
			for (const { json } of failed) {
				expect(json).toMatchObject({ n: expect.any(Number), details: { credits: 'none spent' } });
			}
		},
	);

	it.concurrent('Wait for Top-Up: continues once there are credits', async () => {
		const { run, leave } = await ownSandbox();
		await leave(1);
		const running = run({
			node,
			items: items.slice(0, 3),
			parameters: batch({ onInsufficientCredits: 'wait' }),
		});
		await new Promise((go) => setTimeout(go, 5_000));
		await leave(100);
		const made = await running;
		expect(made.items.map(({ json }) => json.status)).toEqual([
			'completed',
			'completed',
			'completed',
		]);
		const file = await download(rest, made.items[2]?.binary.data);
		expect(file.toString()).toBe('image 0: Number 2');
	});
});
