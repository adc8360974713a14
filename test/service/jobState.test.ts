import fc, { anyCodePoint } from '../support/fastCheck';
import { jobState, readerPath, readerOf, statedReason } from '../../src/service/jobState';

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
	['something new', 'ready', 'good'],
	['generation', 'Completed', 'running'],
	['generation', undefined, 'running'],
])('a %s that is %p is %s', (object, status, state) => {
	expect(jobState(job(object, status))).toBe(state);
});

test('an agent run ends with the statuses given, by default where it waits for a person, completed or failed', () => {
	for (const status of ['plan_proposed', 'awaiting_review', 'completed'])
		expect(jobState(job('agent_run', status))).toBe('good');
	const statuses = { good: ['done'], bad: ['broken'] };
	expect(jobState(job('agent_run', 'done'), statuses)).toBe('good');
	expect(jobState(job('agent_run', 'broken'), statuses)).toBe('bad');
	expect(jobState(job('agent_run', 'completed'), statuses)).toBe('running');
	expect(jobState(job('generation', 'done'), statuses)).toBe('running');
});

const ANY_JSON = fc.oneof(
	fc.anything({ withNullPrototype: true }),
	fc.dictionary(fc.constantFrom('toString', 'valueOf', 'toJSON', 'length'), fc.jsonValue()),
);

test('no object or status of a service makes it throw', () => {
	fc.assert(
		fc.property(fc.anything({ withNullPrototype: true }), ANY_JSON, (object, status) => {
			expect(['running', 'good', 'bad']).toContain(jobState(job(object, status)));
			expect(['running', 'good', 'bad']).toContain(jobState(job('agent_run', status)));
		}),
	);
	const strange = fc.string({ unit: anyCodePoint });
	fc.assert(fc.property(strange, (id) => void readerPath({ id, object: 'generation' })));
	expect(readerPath({ id: '\ud800$&', object: 'generation' })).toBe('/generations/%EF%BF%BD%24%26');
	expect(readerPath(job('constructor', 'queued'))).toBe('/jobs/x');
});

test('each kind is read at its endpoint, with its scope', () => {
	expect(readerPath({ id: 'a/b', object: 'generation' })).toBe('/generations/a%2Fb');
	expect(readerPath({ id: 'a', object: 'speech_generation' })).toBe('/speech/a');
	expect(readerPath({ id: 'a', object: 'agent_run' })).toBe('/agents/runs/a');
	expect(readerPath({ id: 'a', object: 'persona' })).toBe('/personas/a');
	expect(readerPath({ id: 'a' })).toBe('/jobs/a');
	expect(readerOf('agent_run').scope).toBe('agents:read');
	expect(readerOf('whatever').scope).toBeUndefined();
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
