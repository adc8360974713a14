import { ENDPOINTS } from '../../src/contract';
import { fail, type Failed, type Failure } from '../../src/base/result';
import type { ErrorContext } from '../../src/run/errorContext';
import { creditSentence, creditState } from '../../src/run/spending';

const context: ErrorContext = {
	endpoint: ENDPOINTS.createGeneration,
	creates: true,
	charges: true,
	itemIndex: 0,
};

const status = (code: number): Failure => ({
	kind: 'status',
	status: code,
	serviceError: {},
	outcomeUnknown: false,
});

const noResponse = (outcomeUnknown: boolean): Failure => ({
	...{ kind: 'noResponse', reason: 'timeout', attempts: 1 },
	outcomeUnknown,
});

const late: Failure = { kind: 'deadline', waitedMs: 1 };

const input: Failure = { kind: 'input', field: 'Prompt', problem: 'is empty' };

const said = (failure: Failure | Failed, more: Partial<ErrorContext> = {}) => {
	const failed = 'ok' in failure ? failure : fail(failure);
	const asked = { ...context, ...more };
	return [creditSentence(failed, asked), creditState(failed, asked)];
};

test('what did nothing spent nothing, of one item or of a row among others', () => {
	expect(said(input)).toEqual(['Nothing was sent, so no credits were spent.', 'none spent']);
	expect(said(input, { items: 2, isRow: true })[0]).toBe(
		'Nothing was sent for this item, so no credits were spent on it.',
	);
	expect(said(status(402))[0]).toBe('Nothing was created and no credits were spent.');
	expect(said(status(402), { items: 2 })[0]).toBe(
		'Nothing was created for this item and no credits were spent on it.',
	);
});

test('in the editor, where each click is a new execution, the advice is what is true there', () => {
	expect(said(fail(late, { id: 'gen_1' }), { mode: 'manual' })[0]).toMatch(
		/or execute the node again, which goes on with it instead of paying again\.$/,
	);
	expect(said(noResponse(true), { mode: 'manual' })[0]).toMatch(
		/ To go on, execute the node again: that sends it again under the same idempotency key/,
	);
	// Also of a row, which the next click in the editor goes on with.
	expect(said(noResponse(true), { mode: 'manual', isRow: true })[0]).toMatch(/execute the node/);
	expect(said(noResponse(true), { mode: 'nested' })[0]).toMatch(
		/ To go on, retry the execution of this sub-workflow: /,
	);
});

test('if the outcome is unknown, the key decides what to do', () => {
	const unknown = 'Whether the request was carried out is not known.';
	for (const failure of [noResponse(true), status(503), status(422)]) {
		expect(said(failure, { idempotency: 'none' })).toEqual([
			`${unknown} It had no idempotency key, so it was not sent again: look for it at the service before creating it again.`,
			'unknown',
		]);
		expect(said(failure, { idempotency: 'content' })).toEqual([
			`${unknown} Within 24 hours the next execution sends it again under the same idempotency key, so that nothing is paid for twice.`,
			'unknown',
		]);
		expect(said(failure, { idempotency: 'execution' })).toEqual([
			`${unknown} To go on, retry this execution: that sends it again under the same idempotency key, so that nothing is paid for twice.`,
			'unknown',
		]);
	}
	expect(said({ kind: 'possibleDuplicate', because: 'changed' })).toEqual(['', 'unknown']);
});

test('a failure before the own request of an item, and of the own one', () => {
	const before: Failed = { ...fail(status(500)), endpoint: ENDPOINTS.createFile };
	expect(said(before)).toEqual(['Nothing was created and no credits were spent.', 'none spent']);
	const own: Failed = { ...fail(status(500)), endpoint: ENDPOINTS.createGeneration };
	expect(said(own)[1]).toBe('unknown');
});

test('a job that exists is to be fetched or continued with', () => {
	const fetch = 'at the service: fetch it by its ID';
	const more = ', or retry this execution, which goes on with it instead of paying again';
	const states = { queued: 'goes on', completed: 'has finished', failed: 'has failed' };
	for (const [name, now] of Object.entries(states)) {
		const job = { id: 'gen_1', object: 'generation', status: name };
		const sentence = `The job ${now} ${fetch}${more}.`;
		expect(said(fail(late, job))).toEqual([sentence, 'reserved or spent']);
	}
	const known = { jobIds: ['gen_1'], outcomeUnknown: true };
	expect(said(late, known)[0]).toBe(`The job exists ${fetch}${more}.`);
	expect(said(late, { ...known, idempotency: 'none' })[0]).toBe(`The job exists ${fetch}.`);
	expect(said(input, known)[0]).toBe(`The job exists ${fetch}.`);
});

test('a row of a run that goes on does not advise a retry of the execution, which n8n does not offer then', () => {
	const isRow = true;
	const unknown = 'Whether the request was carried out is not known.';
	expect(said(noResponse(true), { isRow, idempotency: 'execution' })[0]).toBe(
		`${unknown} A new execution would pay again: look for it at the service before creating it again.`,
	);
	expect(said(fail(late, { id: 'gen_1' }), { isRow })[0]).toBe(
		'The job exists at the service: fetch it by its ID.',
	);
});

test('a failed job needs a new key where the user gives it', () => {
	const failure: Failure = { kind: 'jobFailed', reason: 'too dark' };
	expect(said(failure, { idempotency: 'custom' })).toEqual([
		'The same Own Key gives this job again: a new job needs another key.',
		undefined,
	]);
	expect(said(fail(failure, { id: 'gen_1' }), { idempotency: 'content' })).toEqual([
		'A new execution creates a new job.',
		undefined,
	]);
});

test('operations that cost nothing say whether anything was changed, and reading says nothing', () => {
	const free = { creates: false, charges: false };
	for (const endpoint of [ENDPOINTS.updatePersona, ENDPOINTS.deletePersona]) {
		expect(said(noResponse(true), { ...free, endpoint })).toEqual([
			'Whether it was carried out is not known; running it again is safe.',
			undefined,
		]);
		expect(said(status(404), { ...free, endpoint })).toEqual(['Nothing was changed.', undefined]);
	}
	for (const endpoint of [ENDPOINTS.getGeneration, ENDPOINTS.createFile]) {
		expect(said(noResponse(true), { ...free, endpoint })).toEqual(['', undefined]);
	}
});
