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
});

describe('when credits run out', () => {
	const items = Array.from({ length: 8 }, (_, n) => ({ json: { n } }));
	const batch = (options: Record<string, unknown>) =>
		createParameters({ prompt: '=Number {{ $json.n }}', parameters: { quality: 'low' }, options });

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
