import { ENDPOINTS } from '../../../src/contract';
import { toAgentResult, condenseForAgent } from '../../../src/transport/operations/agentAnswer';
import { itemsOf } from '../../../src/transport/runner/items';
import { fail, ok } from '../../../src/transport/base/result';
import type { OperationSpec } from '../../../src/transport/item/item';
import { readSettings } from '../../../src/transport/item/settings';
import { nodeContext, nodeRun } from '../../support/nodeContext';
import { settingsWith } from '../../../testing/run';

const CREATE: OperationSpec = {
	endpoint: ENDPOINTS.createGeneration,
	output: 'job',
	object: 'generation',
};
const WAIT: OperationSpec = { endpoint: ENDPOINTS.getJob, output: 'wait' };

const JOB = { id: 'gen_1', object: 'generation', status: 'processing', estimated_credits: 5 };
const LATE = fail({ kind: 'deadline', waitedMs: 45_000 }, JOB);

const as = (isTool: boolean, spec = CREATE, more = {}) => ({
	spec,
	settings: settingsWith({ isTool, ...more }),
});

test('in a workflow a job that takes too long is an error, and nothing is left out', () => {
	expect(toAgentResult(as(false), LATE)).toBe(LATE);
	const json = { ...JOB, output_ids: ['o'] };
	const [item] = itemsOf({ resources: [json], files: [] }, settingsWith(), 0);
	expect(item?.json).toEqual(json);
});

test('an agent gets a job that takes too long, with the advice to call again with the same arguments', () => {
	const answer = toAgentResult(as(true), LATE);
	expect(answer).toMatchObject({ ok: true, value: { resources: [JOB], isUnfinished: true } });
	expect(answer.ok && answer.value.next).toMatch(/again with exactly the same arguments/);
	expect(toAgentResult(as(true, WAIT), LATE)).toEqual(answer);
});

test('it does not get this advice if the same arguments would be paid for again', () => {
	const answer = toAgentResult(as(true, CREATE, { idempotency: 'none' }), LATE);
	expect(answer.ok && answer.value.next).toBe(
		'Not finished yet. Get it by its id in about a minute.',
	);
	const waited = toAgentResult(as(true, WAIT, { idempotency: 'none' }), LATE);
	expect(waited.ok && waited.value.next).toMatch(/again with exactly the same arguments/);
});

test('any other failure stays one', () => {
	const failed = fail({ kind: 'jobFailed', reason: 'too dark' }, JOB);
	expect(toAgentResult(as(true), failed)).toBe(failed);
	const early = fail({ kind: 'deadline', waitedMs: 1 });
	expect(toAgentResult(as(true), early)).toBe(early);
});

test.each([
	[[JOB], /^Not finished yet\. Get it by its id/],
	[[{ ...JOB, status: 'completed' }], undefined],
	[[JOB, JOB], undefined],
	[[{ id: 'run_1', object: 'agent_run', status: 'planning' }], undefined],
	[[], undefined],
])('a job that was not waited for says whether it is still running: %j', (resources, next) => {
	const answer = toAgentResult(as(true), ok({ resources, files: [] }));
	const said = answer.ok ? answer.value.next : undefined;
	if (next) expect(said).toMatch(next);
	else expect(said).toBeUndefined();
});

test('of media an agent is given what they are, their links, what they cost and what to do next', () => {
	const outputs = ['a', 'b'].map((id) => ({ id, media_type: 'image/png', url: `https://x/${id}` }));
	const resource = { ...JOB, mode: 'image', model: 'm', output_ids: ['a', 'b'], outputs };
	const outcome = { resources: [resource], files: [], warning: 'w', next: 'n' };
	const [item] = itemsOf(outcome, settingsWith({ isTool: true }), 0);
	expect(item?.json).toEqual({
		...JOB,
		mode: 'image',
		model: 'm',
		url: 'https://x/a',
		urls: ['https://x/a', 'https://x/b'],
		warning: 'w',
		next: 'n',
	});
	expect(item?.pairedItem).toEqual({ item: 0 });
});

test('fields that are not media stay unchanged', () => {
	const persona = { id: 'p', object: 'persona', status: 'ready', name: 'Mara' };
	expect(condenseForAgent(persona)).toBe(persona);
});

test.each([
	['mediaGenGenerationTool', {}, 45_000],
	['mediaGenGenerationTool', { waitTimeout: 2 }, 120_000],
	['mediaGenGeneration', {}, 1_800_000],
])('as %s with the options %j it waits for %i ms', (name, options, waitTimeoutMs) => {
	const run = nodeRun({ parameters: () => ({ options }) });
	const context = nodeContext(run);
	const node = { ...context.getNode(), type: `n8n-nodes-mediagen.${name}` };
	const settings = readSettings({ ...context, getNode: () => node });
	expect(settings.ok && settings.value).toMatchObject({
		waitTimeoutMs,
		isTool: name.endsWith('Tool'),
	});
});
