import { NodeApiError } from 'n8n-workflow';
import { ENDPOINTS, type Endpoint } from '../../src/contract';
import { detailsOf, nodeError, describeFailure } from '../../src/run/errors';
import type { ErrorContext } from '../../src/run/errorContext';
import { creditSentence, creditState } from '../../src/run/spending';
import {
	fail,
	type Failed,
	type Failure,
	type NoResponseFailure,
	type StatusFailure,
} from '../../src/base/result';
import type { Resource } from '../../src/base/types';
import { NODE } from '../support/nodeContext';

const context: ErrorContext = {
	endpoint: ENDPOINTS.createGeneration,
	creates: true,
	charges: true,
	object: 'generation',
	itemIndex: 3,
	items: 20,
	submitted: 7,
	idempotency: 'execution',
};

const status = (code: number, more: Partial<StatusFailure> = {}): Failure => ({
	kind: 'status',
	status: code,
	serviceError: { message: 'No', type: 'some_type', requestId: 'req_1', details: { note: 'why' } },
	outcomeUnknown: false,
	...more,
});

const lost = (more: Partial<NoResponseFailure> = {}): Failure => ({
	kind: 'noResponse',
	reason: 'timeout',
	attempts: 5,
	outcomeUnknown: true,
	...more,
});

/** One of each kind; a kind that is added to the type must be added here. */
const KINDS: { [K in Failure['kind']]: Extract<Failure, { kind: K }> } = {
	input: { kind: 'input', field: 'Prompt', problem: 'is empty', hint: 'Enter one' },
	scope: { kind: 'scope', scope: 'files:write' },
	status: status(400) as Extract<Failure, { kind: 'status' }>,
	noResponse: lost() as Extract<Failure, { kind: 'noResponse' }>,
	badResponse: { kind: 'badResponse', status: 200, problem: 'the response is not a JSON object' },
	cancelled: { kind: 'cancelled' },
	deadline: { kind: 'deadline', waitedMs: 90_000 },
	jobFailed: { kind: 'jobFailed', reason: 'too dark' },
	notApproved: { kind: 'notApproved', reason: 'the budget is too small' },
	download: { kind: 'download', outputId: 'out_1', problem: 'timeout' },
	upload: { kind: 'upload', field: 'clip', problem: 'timeout' },
	creditCap: { kind: 'creditCap', maxCredits: 20, reserved: 18, price: 4 },
	noSlot: { kind: 'noSlot', waitedMs: 1_800_000, others: 3 },
	skipped: { kind: 'skipped', cause: 'the credits ran out at item 2', becomesRow: true },
	possibleDuplicate: { kind: 'possibleDuplicate', because: 'expired' },
};

/** What a failure by itself shows of the credits: the request did nothing, or nobody knows. */
const EFFECTS: Array<[name: string, failure: Failure, state: 'none spent' | 'unknown']> = [
	['input', KINDS.input, 'none spent'],
	['scope', KINDS.scope, 'none spent'],
	['creditCap', KINDS.creditCap, 'none spent'],
	['noSlot', KINDS.noSlot, 'none spent'],
	['skipped', KINDS.skipped, 'none spent'],
	['cancelled', KINDS.cancelled, 'none spent'],
	['upload', KINDS.upload, 'none spent'],
	['400', status(400), 'none spent'],
	['402', status(402), 'none spent'],
	['429', status(429), 'none spent'],
	['409', status(409), 'unknown'],
	['422', status(422), 'unknown'],
	['503', status(503, { outcomeUnknown: true }), 'unknown'],
	['400 after a lost response', status(400, { outcomeUnknown: true }), 'unknown'],
	['no response', lost(), 'unknown'],
	['no response, a later try unconnected', lost({ unsent: 'connection' }), 'unknown'],
	['no connection', lost({ outcomeUnknown: false, unsent: 'connection' }), 'none spent'],
	['an unusable response', KINDS.badResponse, 'unknown'],
	['no longer tellable', KINDS.possibleDuplicate, 'unknown'],
];

const operations = Object.entries(ENDPOINTS) as Array<[string, Endpoint]>;
const charging = operations.filter(
	([name, { method }]) => method === 'POST' && name !== 'createFile',
);

test.each(EFFECTS)('%s: says what is known of the credits', (_, failure, state) => {
	for (const [, endpoint] of charging) {
		const asked = { ...context, endpoint };
		const stateOf = (more: Partial<ErrorContext>) =>
			creditState(fail(failure), { ...asked, ...more });
		expect(stateOf({})).toBe(state);
		// An earlier try of the item.
		expect(stateOf({ outcomeUnknown: true })).toBe('unknown');
		expect(stateOf({ outcomeUnknown: true, jobIds: ['gen_1'] })).toBe('reserved or spent');
		const { message, description } = describeFailure(fail(failure), asked);
		expect(`${message}. ${description}`).not.toMatch(/undefined|\[object|null|NaN| {2}/);
		const keyless = describeFailure(fail(failure), { ...asked, idempotency: 'none' });
		expect(keyless.description).not.toMatch(/goes on with it instead|same idempotency key/);
	}
});

const good = { id: 'gen_1', object: 'generation', status: 'completed' };

const SAME_KEY = 'under the same idempotency key, so that nothing is paid for twice.';
const UNKNOWN = 'Whether the request was carried out is not known.';
const LOOK = 'look for it at the service before creating it again.';
const FETCH = 'at the service: fetch it by its ID';
const INSTEAD = 'which goes on with it instead of paying again.';
const queued = { id: 'gen_1', object: 'generation', status: 'queued' };
const late = (job?: Resource) => fail(KINDS.deadline, job);
const remembered = { jobIds: ['gen_1'], outcomeUnknown: true };
const free = (endpoint: Endpoint) => ({ creates: false, charges: false, endpoint });
const beforeItsRequest = { ...fail(status(500)), endpoint: ENDPOINTS.createFile };

/** What a failure of one item means for the credits, and how to go on where the error is read. */
const SENTENCES: Array<[failed: Failed, context: Partial<ErrorContext>, sentence: string]> = [
	[fail(KINDS.input), {}, 'Nothing was sent, so no credits were spent.'],
	[
		fail(KINDS.input),
		{ items: 2, isRow: true },
		'Nothing was sent for this item, so no credits were spent on it.',
	],
	[fail(status(402)), {}, 'Nothing was created and no credits were spent.'],
	[
		fail(status(402)),
		{ items: 2 },
		'Nothing was created for this item and no credits were spent on it.',
	],
	[beforeItsRequest, {}, 'Nothing was created and no credits were spent.'],

	[fail(lost()), {}, `${UNKNOWN} To go on, retry this execution: that sends it again ${SAME_KEY}`],
	[
		fail(lost()),
		{ mode: 'nested' },
		`${UNKNOWN} To go on, retry the execution of this sub-workflow: that sends it again ${SAME_KEY}`,
	],
	// n8n does not offer a retry of an execution that went on.
	[fail(lost()), { isRow: true }, `${UNKNOWN} A new execution would pay again: ${LOOK}`],
	// Also of a row, which the next click in the editor goes on with.
	[
		fail(lost()),
		{ mode: 'manual', isRow: true },
		`${UNKNOWN} To go on, execute the node again: that sends it again ${SAME_KEY}`,
	],
	[
		fail(lost()),
		{ idempotency: 'content' },
		`${UNKNOWN} Within 24 hours the next execution sends it again ${SAME_KEY}`,
	],
	[
		fail(lost()),
		{ idempotency: 'none' },
		`${UNKNOWN} It had no idempotency key, so it was not sent again: ${LOOK}`,
	],

	[late(queued), {}, `The job goes on ${FETCH}, or retry this execution, ${INSTEAD}`],
	[
		late({ ...queued, status: 'completed' }),
		{ mode: 'manual' },
		`The job has finished ${FETCH}, or execute the node again, ${INSTEAD}`,
	],
	[late({ ...queued, status: 'failed' }), { isRow: true }, `The job has failed ${FETCH}.`],
	[late(), remembered, `The job exists ${FETCH}, or retry this execution, ${INSTEAD}`],
	[late(), { ...remembered, idempotency: 'none' }, `The job exists ${FETCH}.`],
	// The next try may make a different request.
	[fail(KINDS.input), remembered, `The job exists ${FETCH}.`],

	[fail(KINDS.jobFailed), {}, 'A new execution creates a new job.'],
	[
		fail(KINDS.jobFailed),
		{ endpoint: ENDPOINTS.approveAgentRun },
		'It cannot be done again: create a new run.',
	],
	[
		fail(KINDS.jobFailed),
		{ idempotency: 'custom' },
		'The same Own Key gives this job again: a new job needs another key.',
	],

	[
		fail(lost()),
		free(ENDPOINTS.updatePersona),
		'Whether it was carried out is not known; running it again is safe.',
	],
	[fail(status(404)), free(ENDPOINTS.deletePersona), 'Nothing was changed.'],
	[fail(lost()), free(ENDPOINTS.getGeneration), ''],
];

test.each(SENTENCES)('what is said of the credits: %j, %j', (failed, more, sentence) => {
	expect(creditSentence(failed, { ...context, items: 1, submitted: 0, ...more })).toBe(sentence);
});

test('a job that failed although it was only waited for is created again elsewhere', () => {
	const waiting = { ...context, creates: false, charges: false, endpoint: ENDPOINTS.getJob };
	expect(describeFailure(fail(KINDS.jobFailed, queued), waiting).description).toBe(
		'Change the prompt or the inputs and create it again.',
	);
});

test('the scope that is missing is that of the request that failed', () => {
	const refused = status(403);
	const scopes: Array<[Failed, Partial<ErrorContext>, RegExp]> = [
		[fail(refused), {}, /not allowed to do this.*scope generations:write/s],
		[fail(refused, good), {}, /not allowed to read the job.*scope generations:read/s],
		[fail(refused, { id: 'a' }), { object: 'agent_run' }, /scope agents:read/],
		[{ ...fail(refused), endpoint: ENDPOINTS.createFile }, {}, /scope files:write/],
		[fail(refused), { endpoint: ENDPOINTS.getJob }, /read scope of the resource/],
	];
	for (const [failed, more, claims] of scopes) {
		const { message, description } = describeFailure(failed, { ...context, ...more });
		expect(`${message}. ${description}`).toMatch(claims);
	}
});

test.each(Object.values(KINDS))(
	'$kind reaches n8n with its words, its job, its item where there are several, and nothing else',
	(failure) => {
		const failed = fail(failure, good);
		const error = nodeError(NODE, failed, context);
		const { message, description } = describeFailure(failed, context);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ message, description, messages: [] });
		expect(error.context).toEqual({ itemIndex: 3, data: detailsOf(failed, context) });
		expect(error.cause).toBeUndefined();
		expect(message).toMatch(/ \(job gen_1\) \[item 4 of 20\]$/);
		const alone = { ...context, items: 1 };
		expect(describeFailure(failed, alone).message).toMatch(/ \(job gen_1\)$/);
		expect(describeFailure(fail(failure), alone).message).not.toMatch(/\[item|job gen/);
	},
);

test.each([
	[401, /^The API key is invalid or missing: No/, /enter a valid key/],
	[402, /^Not enough credits: No/, /7 items were submitted, 13 were not\. Top up/],
	[403, /^The key is not allowed to do this: No/, /scope generations:write.*subscription/],
	[404, /^Not found: No/, /Check the base URL/],
	[429, /^Rate or concurrency limit exceeded: No/, /lower Requests per Minute/],
	[418, /^The service answered with status 418: No/, /Try again later/],
])('%i is reported in words that n8n does not replace', (code, message, description) => {
	const error = nodeError(NODE, fail(status(code)), context);
	expect(error.message).toMatch(message);
	expect(error.description).toMatch(description);
	expect(error.httpCode).toBe(String(code));
	expect(error.description).not.toMatch(/req_1|some_type|why/);
	expect(error.context.data).toMatchObject({
		httpStatus: code,
		status: code,
		item: 4,
		type: 'some_type',
		requestId: 'req_1',
		details: { note: 'why' },
	});
});

test('a message with a code that n8n knows keeps its words', () => {
	const serviceError = { message: 'ENOENT and ECONNREFUSED' };
	expect(nodeError(NODE, fail(status(400, { serviceError })), context).message).toMatch(
		/: ENOENT and ECONN/,
	);
});

test.each([
	['expired', 'its idempotency key is no longer valid after 24 hours'],
	['changed', 'the request has been changed since'],
] as const)(
	'an outcome that can no longer be found out is left to the user: %s',
	(because, why) => {
		expect(describeFailure(fail({ kind: 'possibleDuplicate', because }), context).description).toBe(
			`The service did not answer that try, and ${why}. Look for its job at the service (Get Many lists the newest): if there is none, retry this execution, which then creates a new one.`,
		);
	},
);

test('an invalid item of a run in portions says nothing of those that were sent', () => {
	const input = fail({ kind: 'input', field: 'Own Key', problem: 'is the same' });
	const { description } = describeFailure(input, { ...context, items: 2, submitted: 1 });
	expect(description).toBe('Nothing was sent for this item, so no credits were spent on it.');
});

test.each([
	['content', 400, /If that is the idempotency key, set Avoid Paying Twice to On Retries/],
	['custom', 422, /If that is the idempotency key, enter a new one/],
	['execution', 400, /^Correct what the service names\. (?!If)/],
] as const)('%s: what to do about a refused key, after a %i', (idempotency, code, said) => {
	const refused = fail(status(code));
	expect(describeFailure(refused, { ...context, idempotency }).description).toMatch(said);
});

test('the details of a failed job are the job, its status, and its credits', () => {
	const job = { ...queued, status: 'failed', estimated_credits: 4, credits_refunded: 4, item: 'x' };
	expect(detailsOf(fail(KINDS.jobFailed, job), context)).toEqual({
		item: 4,
		jobId: 'gen_1',
		status: 'failed',
		estimated_credits: 4,
		credits_refunded: 4,
	});
});

test('a service that only repeats the status is not quoted', () => {
	const serviceError = { message: 'not enough credits' };
	expect(
		describeFailure(fail(status(402, { serviceError })), { ...context, items: 1 }).message,
	).toBe('Not enough credits');
});
