import { jobState, lacksOutputs, readerPath, readerOf } from '../../src/transport/jobState';

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

const FILE = { id: 'o', url: 'https://files.example/o.png' };

test.each([
	['completed', { outputs: [FILE], output_ids: ['o'] }, false],
	['completed', { outputs: [FILE], output_ids: ['o', 'p', 'q', 'r'] }, true],
	['completed', { outputs: [FILE, { id: 'p' }] }, true],
	['completed', { outputs: [] }, true],
	// What has failed in part does not say how many it has.
	['partially_completed', { outputs: [FILE], output_ids: ['o', 'p'] }, false],
	['partially_completed', { outputs: [] }, true],
])('a generation that is %s, of which is shown %j: not all of it is %s', (status, shown, lacks) => {
	expect(lacksOutputs(job('generation', status, shown))).toBe(lacks);
});
