import { ENDPOINTS, type Endpoint } from '../../src/contract';
import type { OperationSpec } from '../../src/run/item';
import { runOperation } from '../../src/run/runner';
import type { SendResult } from '../../src/base/types';
import { answer, LOST, scripted } from '../model/answers';
import { hostWith, runOf, workspaceWith, type RunParts } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

type Settings = RunParts['settings'];

/** A run of an operation on the resource `x`, with the answers that the service gives in turn. */
async function runWith(spec: OperationSpec, answers: SendResult[], settings: Settings = {}) {
	const clock = new VirtualClock();
	const { send, sent } = scripted(clock, answers);
	const { method, path }: Endpoint = spec.endpoint;
	const item = runOf({
		host: hostWith(send),
		workspace: workspaceWith(clock),
		spec,
		settings,
		request: { method, path: path.replace('{id}', 'x'), query: {}, body: undefined },
	});
	const result = await clock.run(runOperation(item));
	return { result, sent, resources: result.ok ? result.value.resources : undefined };
}

describe('a deletion', () => {
	const spec: OperationSpec = { endpoint: ENDPOINTS.deleteVoice, output: 'deleted' };

	test.each<[string, unknown, object]>([
		['an object', { object: 'voice', id: 'x' }, { object: 'voice', id: 'x', deleted: true }],
		['an empty object', {}, { id: 'x', deleted: true }],
		['nothing', '', { id: 'x', deleted: true }],
	])('gives id and deleted where the service answers %s', async (_, body, json) => {
		expect((await runWith(spec, [answer(200, body)])).resources).toEqual([json]);
	});

	test('is not trusted in a response that is not JSON', async () => {
		const { result } = await runWith(spec, [answer(200, '<html>')]);
		expect(result).toMatchObject({ ok: false, failure: { kind: 'badResponse' } });
	});

	test('has happened when the repeat after a lost answer finds nothing', async () => {
		const { resources, sent } = await runWith(spec, [LOST, answer(404)]);
		expect(resources).toEqual([{ id: 'x', deleted: true }]);
		expect(sent).toHaveLength(2);
	});

	test.each([
		['at once', [answer(404)]],
		['after a 429, which did nothing', [answer(429), answer(404)]],
	])('of what is not there is an error, %s', async (_, answers) => {
		const { result } = await runWith(spec, answers);
		expect(result).toMatchObject({ ok: false, failure: { kind: 'status', status: 404 } });
	});
});

test.each<[string, Endpoint]>([
	['read', ENDPOINTS.getVoice],
	['renamed', ENDPOINTS.renameVoice],
])(
	'a resource that is %s is the one asked for: the answer to another request is none',
	async (_what, endpoint) => {
		const spec: OperationSpec = { endpoint, output: 'resource' };
		const other = answer(200, { id: 'y', name: 'other' });
		const problem = 'the response has another id than the one asked for';
		const { result } = await runWith(spec, [other]);
		expect(result).toMatchObject({ failure: { kind: 'badResponse', problem } });
		const again = await runWith(spec, [other, answer(200, { id: 'x' })]);
		expect(again.resources).toEqual([{ id: 'x' }]);
	},
);

describe('a wait for a job of any kind', () => {
	const spec: OperationSpec = { endpoint: ENDPOINTS.getJob, output: 'wait' };
	const job = (object: string | undefined, status: string) =>
		answer(200, { id: 'x', status, ...(object && { object }) });

	test.each([
		['generation', 'queued', 'partially_completed'],
		['agent_run', 'running', 'awaiting_review'],
		[undefined, 'busy', 'ready'],
	])('of %s goes from %s to %s, reading GET /jobs/{id} alone', async (object, before, after) => {
		const { resources, sent } = await runWith(spec, [
			job(object, before),
			job(object, before),
			job(object, after),
		]);
		expect(resources).toMatchObject([{ id: 'x', status: after }]);
		expect(new Set(sent.map(({ path }) => path))).toEqual(new Set(['/jobs/x']));
	});

	test('of an agent run ends with the statuses that the user has set', async () => {
		const endings = { good: ['checked'], bad: ['broken'] };
		const good = await runWith(spec, [job('agent_run', 'completed'), job('agent_run', 'checked')], {
			terminalStatuses: endings,
		});
		expect(good.resources).toMatchObject([{ status: 'checked' }]);
		const bad = await runWith(spec, [job('agent_run', 'broken')], { terminalStatuses: endings });
		expect(bad.result).toMatchObject({
			ok: false,
			failure: { kind: 'jobFailed' },
			job: { id: 'x' },
		});
	});
});

describe('a resource', () => {
	const spec: OperationSpec = { endpoint: ENDPOINTS.getWebhook, output: 'resource' };

	test.each([{ secret: 'whsec_1' }, { webhookSecret: 'whsec_1' }])(
		'is given without a signing secret at any depth, unless the user wants it: %j',
		async (secret) => {
			const careful = { ...spec, holdsSecret: true };
			const webhook = { id: 'x', ...secret, signing: { version: 1, ...secret } };
			const open = { id: 'x', signing: { version: 1 } };
			expect((await runWith(careful, [answer(200, webhook)])).resources).toEqual([open]);
			const wanted = await runWith(careful, [answer(200, webhook)], { includeSecret: true });
			expect(wanted.resources).toEqual([webhook]);
		},
	);

	test('whose update answers nothing is given by its id; the answer of any other must be an object', async () => {
		const update: OperationSpec = { endpoint: ENDPOINTS.updateWebhook, output: 'resource' };
		expect((await runWith(update, [answer(204, '')])).resources).toEqual([{ id: 'x' }]);
		const rename: OperationSpec = { endpoint: ENDPOINTS.renameVoice, output: 'resource' };
		expect((await runWith(rename, [answer(204, '')])).result).toMatchObject({ ok: false });
	});
});
