import { fail } from '../../src/base/result';
import { isTransient } from '../../src/service/jobPoller';
import {
	errorOf,
	isAnswerOfService,
	isOutcomeUnknown,
	meaningOf,
	ofStorage,
	retryReason,
} from '../../src/service/statuses';
import type { SendResult } from '../../src/base/types';
import { answer, errorBody, LOST } from '../../testing/answers';

const ALL = Array.from({ length: 300 }, (_, index) => 300 + index);

const those = (isMeant: (status: number) => boolean) => ALL.filter(isMeant);

const from500 = those((status) => status >= 500);

test('which statuses are tried again', () => {
	const again = (when: string) => those((status) => meaningOf(status).again === when);
	expect(again('always')).toEqual([429]);
	expect(again('replayable')).toEqual([408, 409, 425, ...from500]);
});

test('which prove that nothing was done, and which concern all items of a run', () => {
	// A 422 is a refusal, but in no contract.
	expect(those((status) => meaningOf(status).nothingDone)).toEqual([400, 401, 402, 403, 404, 429]);
	expect(those((status) => meaningOf(status).concernsRun !== undefined)).toEqual([
		401, 402, 403, 429,
	]);
});

test('what the others are refused for', () => {
	const by = (name: string) => those((status) => meaningOf(status).refusal === name);
	expect(['invalid', 'badKey', 'noCredits', 'forbidden', 'notFound', 'throttled'].map(by)).toEqual([
		...[[400, 422], [401], [402], [403], [404], [429]],
	]);
});

const PAGE = '<html>Sign in</html>';

test('why the same request is tried again, by status: as the service says it, and as a page', () => {
	const by = (reason: string, body?: unknown) =>
		those((status) => retryReason(answer(status, body)) === reason);
	const unnamed3xx = those((status) => status < 400);
	expect(by('throttled')).toEqual([429]);
	expect(by('transient')).toEqual([408, 409, 425, ...from500]);
	expect(by('foreign')).toEqual(unnamed3xx);
	const not = [408, 409, 425, 429];
	expect(by('foreign', PAGE)).toEqual(those((status) => status < 500 && !not.includes(status)));
	expect(by('transient', PAGE)).toEqual([408, 409, 425, ...from500]);
});

test.each<[response: SendResult, reason: string | undefined]>([
	[LOST, 'transient'],
	[{ noResponse: 'ENOTFOUND', unsent: 'connection' }, 'unreachable'],
	[{ noResponse: 'x', unsent: 'local' }, undefined],
	[{ noResponse: 'x', unsent: 'certificate' }, undefined],
	[answer(200, '{"id": "gen'), 'foreign'],
	[answer(199, ''), 'foreign'],
])(
	'%j: %s; nobody knows what was done where there was no answer or a foreign one',
	(response, reason) => {
		expect(retryReason(response)).toBe(reason);
		expect(isOutcomeUnknown(response)).toBe(reason === 'transient' || reason === 'foreign');
	},
);

test('each has words that name what happened and what to do', () => {
	for (const status of ALL) {
		for (const part of meaningOf(status).words({})) {
			expect(part).toMatch(/^[A-Z].+/);
			expect(part).not.toMatch(/undefined| {2}/);
		}
	}
	expect(meaningOf(418).words({})[0]).toContain('418');
});

describe('an answer of the service', () => {
	const page = PAGE;

	test.each([
		[answer(200, { id: 'x' }), true],
		[answer(200, page), false],
		[answer(200, ['x']), false],
		[answer(400), true],
		[answer(429), true],
		[answer(401, page), false],
		[answer(403, { message: 'Forbidden' }), false],
		[answer(404, { error: 'Not Found' }), false],
		[answer(404, { error: { message: 'no type' } }), false],
		[answer(502), false],
		[answer(301, errorBody('Moved')), false],
		[LOST, false],
		[{ noResponse: 'ENOTFOUND', unsent: 'connection' } as const, false],
	])('%j: %p', (response, expected) => {
		expect(isAnswerOfService(response)).toBe(expected);
	});
});

test.each([
	['a refusal of the service', 401, errorBody('bad key'), false],
	['a gateway', 401, '<html>', true],
	['a gateway', 403, { message: 'Forbidden' }, true],
	['a wrong address', 404, '<html>', true],
	['the service does not know it', 404, errorBody('unknown'), false],
	['too much', 429, errorBody('slow down'), true],
	['the service is down', 520, errorBody('down'), true],
])('a poll says nothing of the job: %s (%i)', (_what, status, body, expected) => {
	const serviceError = errorOf(body);
	const failed = fail({ kind: 'status', status, serviceError, outcomeUnknown: false });
	expect(isTransient(failed)).toBe(expected);
});

test('what the storage of a file says is read otherwise: it is not the service', () => {
	expect(those((status) => ofStorage(status) === 'again')).toEqual([408, 429, ...from500]);
	expect(those((status) => ofStorage(status) === 'newAddress')).toEqual([
		401, 403, 404, 409, 410, 412,
	]);
});
