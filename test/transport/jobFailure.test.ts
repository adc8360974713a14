import { statedReason, toResult } from '../../src/transport/jobFailure';

const failed = (object: string, more: object) => ({ id: 'x', object, status: 'failed', ...more });

test.each([
	['error.message', { error: { message: 'too dark' }, errors: [{ message: 'b' }] }, 'too dark'],
	['errors[].message', { errors: [{ message: 'a' }, { message: 'b' }, { message: 'a' }] }, 'a; b'],
	['outputs[].error.message', { outputs: [{ id: 'o' }, { error: { message: 'c' } }] }, 'c'],
	['error, as a text', { error: 'too dark', errors: 'b' }, 'too dark'],
	['nowhere', { outputs: [null, 7], errors: 7, error: [] }, undefined],
	['a long text, cut off', { error: 'x'.repeat(1_000) }, `${'x'.repeat(299)}…`],
])('the reason of a failure is found at %s', (_name, more, reason) => {
	expect(statedReason(failed('generation', more))).toBe(reason);
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
		expect(toResult(failed(kind, more))).toMatchObject({ failure: { lacks } });
});
