import { ENDPOINTS, type Endpoint } from '../../src/api';
import type { OperationSpec } from '../../src/creation/operationSpec';
import { runItem } from '../../src/n8n/runOperation';
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
	const result = await clock.run(runItem(item));
	return { result, sent, resources: result.ok ? result.value.resources : undefined };
}

const DELETE: OperationSpec = { endpoint: ENDPOINTS.deleteVoice, output: 'deleted' };
const READ: OperationSpec = { endpoint: ENDPOINTS.getVoice, output: 'resource' };
const RENAME: OperationSpec = { endpoint: ENDPOINTS.renameVoice, output: 'resource' };
const UPDATE: OperationSpec = { endpoint: ENDPOINTS.updateWebhook, output: 'resource' };
const WAIT: OperationSpec = { endpoint: ENDPOINTS.getJob, output: 'wait' };

const OTHER = answer(200, { id: 'y', name: 'other' });
const OTHER_ID = 'the response has another id than the one asked for';

const job = (object: string | undefined, status: string) =>
	answer(200, { id: 'x', status, ...(object && { object }) });

test.each<[string, OperationSpec, SendResult[], object]>([
	['a deletion: id and deleted', DELETE, [answer(200, {})], { id: 'x', deleted: true }],
	['where the service answers nothing', DELETE, [answer(200, '')], { id: 'x', deleted: true }],
	[
		'where it answers an object',
		DELETE,
		[answer(200, { object: 'voice', id: 'x' })],
		{ object: 'voice', id: 'x', deleted: true },
	],
	[
		'what the repeat after a lost answer does not find was deleted',
		DELETE,
		[LOST, answer(404)],
		{ id: 'x', deleted: true },
	],
	['an update without an answer: its id', UPDATE, [answer(204, '')], { id: 'x' }],
	[
		'what was asked for, after an answer to another request',
		READ,
		[OTHER, job('voice', 'ok')],
		{ id: 'x' },
	],
])('an operation outputs %s', async (_, spec, answers, resource) => {
	expect((await runWith(spec, answers)).resources).toMatchObject([resource]);
});

test.each<[string, OperationSpec, SendResult[], object]>([
	['a page', DELETE, [answer(200, '<html>')], { kind: 'badResponse' }],
	['that nothing is there', DELETE, [answer(404)], { status: 404 }],
	[
		'a page after a lost answer, 404 too',
		DELETE,
		[LOST, answer(404, '<html>Not Found</html>')],
		{ status: 404, outcomeUnknown: true },
	],
	['that after a 429, which did nothing', DELETE, [answer(429), answer(404)], { status: 404 }],
	['no object', RENAME, [answer(204, '')], { kind: 'badResponse' }],
	['the answer to another request', READ, [OTHER], { kind: 'badResponse', problem: OTHER_ID }],
	['that of another change', RENAME, [OTHER], { kind: 'badResponse', problem: OTHER_ID }],
])('an operation fails where the service answers %s', async (_, spec, answers, failure) => {
	expect((await runWith(spec, answers)).result).toMatchObject({ ok: false, failure });
});

test.each([
	['generation', 'queued', 'partially_completed'],
	['agent_run', 'running', 'awaiting_review'],
	[undefined, 'busy', 'ready'],
])(
	'a wait for a job of kind %s goes from %s to %s, reading GET /jobs/{id} alone',
	async (object, before, after) => {
		const running = job(object, before);
		const { resources, sent } = await runWith(WAIT, [running, running, job(object, after)]);
		expect(resources).toMatchObject([{ id: 'x', status: after }]);
		expect(new Set(sent.map(({ path }) => path))).toEqual(new Set(['/jobs/x']));
	},
);

test('a wait for an agent run ends with the statuses that the user has set', async () => {
	const settings = { terminalStatuses: { good: ['checked'], bad: ['broken'] } };
	const answers = ['completed', 'checked'].map((status) => job('agent_run', status));
	expect((await runWith(WAIT, answers, settings)).resources).toMatchObject([{ status: 'checked' }]);
	const { result } = await runWith(WAIT, [job('agent_run', 'broken')], settings);
	expect(result).toMatchObject({ failure: { kind: 'jobFailed' }, job: { id: 'x' } });
});

describe('a POST that creates nothing, by what its endpoint says of it', () => {
	const CANCEL: Endpoint = {
		does: 'changes',
		method: 'POST',
		path: '/jobs/{id}/cancel',
		scope: 'generations:write',
		success: undefined,
		extra: [],
	};
	const spec: OperationSpec = { endpoint: CANCEL, output: 'resource' };

	test('is sent again after a lost answer, and is about the resource in its path', async () => {
		const { sent, resources } = await runWith(spec, [LOST, answer(202, '')]);
		expect(sent).toHaveLength(2);
		expect(resources).toEqual([{ id: 'x' }]);
	});

	test('takes no answer about another one', async () => {
		const { result } = await runWith(spec, [answer(200, { id: 'y' })]);
		expect(result).toMatchObject({ failure: { kind: 'badResponse' } });
	});
});

test.each(Object.entries(ENDPOINTS))('%s says what it does as its method does', (_, endpoint) => {
	const { does, method } = endpoint;
	const methods = { GET: ['reads', 'lists'], PATCH: ['changes'], DELETE: ['deletes'] };
	if (method === 'POST') expect(['creates', 'advances', 'changes']).toContain(does);
	else expect(methods[method]).toContain(does);
});
