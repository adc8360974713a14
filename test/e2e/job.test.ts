import type { INodeParameters } from 'n8n-workflow';
import { call, make } from './support/fixtures';
import { rest, runOurs, sandbox } from './support/harness';
import { download, sniff } from './support/media';

const node = 'mediaGenJob';
const asked = async () => (await sandbox.requests()).filter(({ path }) => path.startsWith('/v1/'));

const wait = (jobId: string, given: Record<string, unknown> = {}) =>
	({ operation: 'wait', jobId, ...given }) as INodeParameters;

beforeEach(async () => await sandbox.reset());

describe('Get', () => {
	it('gives whatever the id identifies, as the service has it', async () => {
		const ids = [
			await make.generation(),
			await make.speech(),
			await make.agentRun(),
			await make.persona(),
		];
		const items = ids.map((id) => ({ json: { id } }));
		const run = await runOurs({
			node,
			items,
			parameters: { operation: 'get', jobId: '={{ $json.id }}' },
		});
		expect(run.items.map(({ json }) => json.id)).toEqual(ids);
		expect(run.items.map(({ json }) => json.object)).toEqual([
			'generation',
			'speech_generation',
			'agent_run',
			'persona',
		]);
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual(ids.map((_, item) => ({ item })));
	});
});

describe('Wait for Completion', () => {
	it('waits for a generation and downloads it, reading it only as a job', async () => {
		const id = await make.generation();
		const run = await runOurs({ node, parameters: wait(id) });
		expect(run.items[0]?.json).toMatchObject({ id, status: 'completed' });
		expect(sniff(await download(rest, run.items[0]?.binary.data))).toBe('image/png');
		const reads = (await asked()).filter(({ method }) => method === 'GET');
		expect(new Set(reads.map(({ path }) => path))).toEqual(new Set([`/v1/jobs/${id}`]));
	});

	it('waits for jobs of every kind at once', async () => {
		const { id: described } = await call<{ id: string }>('POST', '/personas', {
			source: 'describe',
			name: 'Mara',
			description: 'Silver braid',
		});
		const runId = await make.agentRun();
		await call('POST', `/agents/runs/${runId}/approve`, { max_credits: 1_000 });
		const ids = [await make.speech(), described, runId, await make.generation()];
		const items = ids.map((id) => ({ json: { id } }));
		const parameters = wait('={{ $json.id }}', { downloadOutputs: false });
		const run = await runOurs({ node, items, parameters });
		expect(run.items.map(({ json }) => json.status)).toEqual([
			'completed',
			'ready',
			'awaiting_review',
			'completed',
		]);
	});
});
