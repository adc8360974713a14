import { fail, ok, type Failed, type Result } from '../../../src/transport/base/result';
import { isOutage, Outage } from '../../../src/transport/run/outage';
import { LOST_FAILURE } from '../../../testing/answers';

const status = (code: number) =>
	fail({ kind: 'status', status: code, serviceError: {}, outcomeUnknown: code >= 500 });

const page = fail({ kind: 'badResponse', status: 200, problem: 'no JSON' });

const lost: Failed = LOST_FAILURE;

const ofItself = fail({ kind: 'upload', field: 'Image', problem: 'is too large' });

test.each<[string, Result<unknown>, boolean]>([
	['no answer came', lost, true],
	['a gateway answered', status(502), true],
	['a page came', page, true],
	['the service refused it', status(422), false],
	['it went well', ok(1), false],
	['its own file failed', ofItself, false],
	['it was cancelled', fail({ kind: 'cancelled' }), false],
])('whether the same request would fare the same, when %s', (_what, result, expected) => {
	expect(isOutage(result)).toBe(expected);
});

/** What is known after each of these items. */
const after = (...results: Array<Result<unknown>>) => {
	const outage = new Outage();
	return results.map((result) => outage.note(result));
};

test('the third item without an answer shows that nobody is there', () => {
	expect(after(lost, lost, lost, lost)).toEqual([false, false, true, true]);
});

test.each<[string, Result<unknown>]>([
	['went well', ok(1)],
	['was answered with an error of the service', status(503)],
	['was answered with a page', page],
	['has a job', { ...lost, job: { id: 'gen_1' } }],
])('an item that %s shows that somebody is there, before and after', (_what, answered) => {
	expect(after(answered, lost, lost, lost, lost)).not.toContain(true);
	expect(after(lost, lost, answered, lost, lost)).not.toContain(true);
});

test('an item that failed by itself says neither', () => {
	expect(after(ofItself, ofItself, ofItself, lost, lost, lost)).toEqual([
		false,
		false,
		false,
		false,
		false,
		true,
	]);
});
