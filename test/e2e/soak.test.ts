import { saveCredential } from '../../lab/n8n/credential';
import { baseUrl, keys, rest, runOurs, sandbox } from './support/harness';
import { triggerName } from '../../lab/n8n/nodeWorkflow';
import { resultOf } from '../../lab/n8n/runNode';
import { createParameters, download, sniff } from './support/media';

/** Service seconds a real second. */
const CLOCK_SCALE = 10;
const SERVICE_MS = 200_000;
const BATCH = 8;

const { workspace, key } = keys.full;

const FAULTS = [
	{ kind: 'lost_before' },
	{ kind: 'lost_after' },
	{ kind: 'status_before', status: 503 },
	{ kind: 'status_after', status: 500 },
	{ kind: 'storm' },
	{ kind: 'storm', retryAfter: '1' },
	{ kind: 'slow', seconds: 20 },
	{ kind: 'truncate' },
	{ kind: 'job_fail' },
	{ kind: 'job_partial' },
	{ kind: 'expired_link' },
	{ kind: 'cut_download' },
] as const;

beforeEach(async () => await sandbox.reset());

it('minutes with every fault at 3 %: nothing paid for twice, no job lost, no file wrong', async () => {
	await sandbox.settings({ clockScale: CLOCK_SCALE });
	const access = { apiKey: key, baseUrl, clockScale: CLOCK_SCALE };
	const credential = await saveCredential(rest, 'soak', access);
	await sandbox.setFaults(FAULTS.map((fault) => ({ ...fault, probability: 0.03 })));

	const end = Date.now() + SERVICE_MS / CLOCK_SCALE;
	const runs: Array<Awaited<ReturnType<typeof runOurs>>> = [];
	/** One user after another, each with a batch; two at a time. */
	const user = async (name: string) => {
		// However slow the machine is, two batches of each user are needed to say anything.
		for (let batch = 0; batch < 2 || Date.now() < end; batch += 1) {
			const items = Array.from({ length: BATCH }, (_, n) => ({
				json: { p: `${name} ${batch} ${n}` },
			}));
			runs.push(
				await runOurs({
					node: 'mediaGen',
					credential,
					items,
					parameters: createParameters({
						prompt: '={{ $json.p }}',
						parameters: { count: 2 },
						delivery: 'signed_url',
						// Rows with Continue On Fail cannot be retried; their workflow can be run again.
						options: { idempotency: 'custom', idempotencyKey: '={{ $json.p }}' },
					}),
					onError: 'continueRegularOutput',
					timeoutMs: 240_000,
				}),
			);
		}
	};
	await Promise.all([user('A'), user('B')]);
	await sandbox.setFaults([]);

	// However many attempts are made, an item now and then meets nothing but faults. What is promised
	// of it: running it again finds its job.
	const others = (run: (typeof runs)[number]) =>
		run.items.flatMap(({ json }) => {
			const error = json.error === undefined ? 'The job failed' : String(json.error);
			return error.startsWith('The job failed') ? [] : [error];
		});
	const again = runs.filter((run) => others(run).length > 0);
	const found = again.map(async ({ workflowId }) => {
		const id = await rest.workflows.run(workflowId, triggerName);
		return resultOf(await rest.executions.wait(id, { timeoutMs: 240_000 }));
	});
	const reruns = await Promise.all(found);
	expect(reruns.flatMap(others)).toEqual([]);

	// Paid for once: as many creations were charged for as there are items, each with a job of its
	// own.
	const kept = runs.filter((run) => !again.includes(run));
	const outputs = [...kept, ...reruns].flatMap(({ items }) => items);
	const all = [...runs, ...reruns].flatMap(({ items }) => items);
	const { lines } = await sandbox.ledger(workspace);
	const reserved = lines
		.filter(({ movement }) => movement === 'reserve')
		.map(({ resource }) => resource);
	const named = all.flatMap(
		({ json }) => json.id ?? /\(job ([\w-]+)\)/.exec(String(json.error))?.[1] ?? [],
	);
	expect(outputs.length).toBeGreaterThanOrEqual(4 * BATCH);
	expect(new Set(reserved).size).toBe(reserved.length);

	// No job lost: every job that was created is in an output or named by an error, and every output
	// is one of them.
	expect([...new Set(named)].sort()).toEqual([...reserved].sort());

	// No wrong file: each is a whole picture, and the one that the service has for this output.
	for (const { json, binary } of outputs.filter((_, index) => index % 3 === 0)) {
		if (json.error !== undefined) continue;
		const answer = await fetch(`${baseUrl}/generations/${String(json.id)}`, {
			headers: { authorization: `Bearer ${key}` },
		});
		const { outputs: listed } = (await answer.json()) as { outputs: Array<{ url: string }> };
		const files = Object.values(binary);
		expect(files).toHaveLength(listed.length);
		for (const [index, { url }] of listed.entries()) {
			const file = await download(rest, files[index]);
			expect(sniff(file)).toBe('image/png');
			expect(file.equals(Buffer.from(await (await fetch(url)).arrayBuffer()))).toBe(true);
		}
	}
}, 300_000);
