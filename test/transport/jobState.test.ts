import {
	jobState,
	readerPath,
	readerOf,
	statedReason,
	toResult,
} from '../../src/transport/jobState';

const job = (object: unknown, status: unknown, more = {}) => ({ id: 'x', object, status, ...more });

test.each([
	['generation', 'queued', 'running'],
	['generation', 'completed', 'good'],
	['generation', 'partially_completed', 'good'],
	['generation', 'failed', 'bad'],
	['generation', 'ready', 'running'],
	['speech_generation', 'completed', 'good'],
	['persona', 'pending', 'running'],
	['persona', 'ready', 'good'],
	['persona', 'failed', 'bad'],
	['no_such_object', 'ready', 'good'],
	['generation', 'Completed', 'running'],
	['generation', undefined, 'running'],
])('a %s that is %p is %s', (object, status, state) => {
	expect(jobState(job(object, status))).toBe(state);
});

const AGENT = { good: ['done'], bad: ['broken'] };

test.each([
	['agent_run', 'plan_proposed', undefined, 'good'],
	['agent_run', 'awaiting_review', undefined, 'good'],
	['agent_run', 'completed', undefined, 'good'],
	['agent_run', 'done', AGENT, 'good'],
	['agent_run', 'broken', AGENT, 'bad'],
	['agent_run', 'completed', AGENT, 'running'],
	['generation', 'done', AGENT, 'running'],
])('a %s that is %p is, with the statuses %j, %s', (object, status, statuses, state) => {
	expect(jobState(job(object, status), statuses)).toBe(state);
});

test.each([
	[{ id: 'a/b', object: 'generation' }, '/generations/a%2Fb', 'generations:read'],
	[{ id: 'a', object: 'speech_generation' }, '/speech/a', 'generations:read'],
	[{ id: 'a', object: 'agent_run' }, '/agents/runs/a', 'agents:read'],
	[{ id: 'a', object: 'persona' }, '/personas/a', 'personas:read'],
	[{ id: 'a', object: 'no_such_object' }, '/jobs/a', undefined],
	[{ id: '\ud800$&', object: 'constructor' }, '/jobs/%EF%BF%BD%24%26', undefined],
])('%j is read at %s, with the scope %s', (one, path, scope) => {
	expect(readerPath(one)).toBe(path);
	expect(readerOf(one.object).scope).toBe(scope);
});

test.each([
	['error.message', { error: { message: 'too dark' }, errors: [{ message: 'b' }] }, 'too dark'],
	['errors[].message', { errors: [{ message: 'a' }, { message: 'b' }, { message: 'a' }] }, 'a; b'],
	['outputs[].error.message', { outputs: [{ id: 'o' }, { error: { message: 'c' } }] }, 'c'],
	['error, as a text', { error: 'too dark', errors: 'b' }, 'too dark'],
	['nowhere', { outputs: [null, 7], errors: 7, error: [] }, undefined],
	['a long text, cut off', { error: 'x'.repeat(1_000) }, `${'x'.repeat(299)}…`],
])('the reason of a failure is found at %s', (_name, more, reason) => {
	expect(statedReason(job('generation', 'failed', more))).toBe(reason);
});

test.each([
	[{ error: { type: 'insufficient_credits', message: 'Declined' } }, 'credits'],
	[{ errors: [{ message: 'Not enough credits: 5 needed, 2 left' }] }, 'credits'],
	[{ error: 'The workspace ran out of credits' }, 'credits'],
	[{ error: 'Top up the balance' }, 'credits'],
	[{ errors: [{ type: 'budget_exhausted', message: 'No more.' }] }, 'budget'],
	[{ error: 'The budget of 20 credits is used up.' }, 'budget'],
	[{ error: 'A credit card must not be shown' }, undefined],
	[{ error: 'There is not enough light' }, undefined],
	[{ error: { type: 'generation_failed', message: 'too dark' } }, undefined],
	[{}, undefined],
])('a job that has failed with %j lacks %p', (more, lacks) => {
	for (const kind of ['generation', 'persona', 'speech_generation'])
		expect(toResult(job(kind, 'failed', more))).toMatchObject({ failure: { lacks } });
});
