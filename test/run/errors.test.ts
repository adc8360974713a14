import { NodeApiError } from 'n8n-workflow';
import { ENDPOINTS, type Endpoint } from '../../src/contract';
import { detailsOf, nodeError, describeFailure } from '../../src/run/errors';
import type { ErrorContext } from '../../src/run/errorContext';
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

/** What a failure by itself shows of the request: it did nothing, or nobody knows. */
const EFFECTS: Array<[name: string, failure: Failure, effect: 'none' | 'unknown']> = [
	['input', KINDS.input, 'none'],
	['scope', KINDS.scope, 'none'],
	['creditCap', KINDS.creditCap, 'none'],
	['noSlot', KINDS.noSlot, 'none'],
	['skipped', KINDS.skipped, 'none'],
	['cancelled', KINDS.cancelled, 'none'],
	['upload', KINDS.upload, 'none'],
	['400', status(400), 'none'],
	['402', status(402), 'none'],
	['429', status(429), 'none'],
	['409', status(409), 'unknown'],
	['422', status(422), 'unknown'],
	['503', status(503, { outcomeUnknown: true }), 'unknown'],
	['400 after a lost response', status(400, { outcomeUnknown: true }), 'unknown'],
	['no response', lost(), 'unknown'],
	['no response, a later try unconnected', lost({ unsent: 'connection' }), 'unknown'],
	['no connection', lost({ outcomeUnknown: false, unsent: 'connection' }), 'none'],
	['an unusable response', KINDS.badResponse, 'unknown'],
	['no longer tellable', KINDS.possibleDuplicate, 'unknown'],
];

type CreditClaim = 'no credits' | 'unknown' | 'job';

/** What is remembered of the item when it fails, and what that makes of the effect. */
const STATES: Array<
	[name: string, job: Resource | undefined, known: Partial<ErrorContext>, text?: CreditClaim]
> = [
	['new', undefined, {}],
	['asked', undefined, { outcomeUnknown: true }, 'unknown'],
	['made', { id: 'gen_1', status: 'queued' }, { jobIds: ['gen_1'] }, 'job'],
	['made, as remembered', undefined, { jobIds: ['gen_1'], outcomeUnknown: true }, 'job'],
];

const CLAIMS: Record<CreditClaim, RegExp> = {
	'no credits': /no credits were spent/,
	unknown: /not known|may have been carried out/,
	job: /^(?!.*(jobs may be)).*The job (exists|goes on|has finished) at the service/,
};

const sentence = (words: { message: string; description: string }) =>
	`${words.message}. ${words.description}`;

const operations = Object.entries(ENDPOINTS) as Array<[string, Endpoint]>;
const charging = operations.filter(
	([name, { method }]) => method === 'POST' && name !== 'createFile',
);

describe.each(STATES)('of an item that is %s', (_, job, known, remembered) => {
	// With a known job nobody looks whether there is one.
	const possible = EFFECTS.filter(
		([, { kind }]) => remembered !== 'job' || kind !== 'possibleDuplicate',
	);

	test.each(possible)(
		'%s: says what is known of the credits, and nothing else',
		(_name, failure, effect) => {
			const expected = remembered ?? (effect === 'none' ? 'no credits' : 'unknown');
			for (const [name, endpoint] of charging) {
				const text = sentence(
					describeFailure(fail(failure, job), { ...context, endpoint, ...known }),
				);
				const claims = Object.entries(CLAIMS).filter(([, pattern]) => pattern.test(text));
				expect([name, text, claims.map(([state]) => state)]).toEqual([name, text, [expected]]);
				expect(text.match(/gen_1/g) ?? []).toHaveLength(known.jobIds ? 1 : 0);
				expect(text).not.toMatch(/undefined|\[object|null|NaN| {2}/);
				const keyless = { ...context, endpoint, ...known, idempotency: 'none' } as const;
				const { description } = describeFailure(fail(failure, job), keyless);
				expect(description).not.toMatch(/goes on with it instead|same idempotency key/);
			}
		},
	);
});

const good = { id: 'gen_1', object: 'generation', status: 'completed' };
const bad = { id: 'gen_1', object: 'generation', status: 'failed' };

describe('a job that failed', () => {
	const failed = fail(KINDS.jobFailed, bad);

	test('is created again, never continued', () => {
		for (const [, endpoint] of charging) {
			const again = endpoint.path.includes('{id}')
				? 'It cannot be done again: create a new run.'
				: 'A new execution creates a new job.';
			const { description } = describeFailure(failed, { ...context, endpoint });
			expect(description).toBe(`Change the prompt or the inputs. ${again}`);
		}
	});

	test('that was only waited for is created elsewhere', () => {
		const waiting = { creates: false, charges: false, endpoint: ENDPOINTS.getJob };
		const { description } = describeFailure(failed, { ...context, ...waiting });
		expect(description).toBe('Change the prompt or the inputs and create it again.');
	});
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
		expect(sentence(describeFailure(failed, { ...context, ...more }))).toMatch(claims);
	}
});

describe.each(Object.values(KINDS))('$kind', (failure) => {
	test('names its item where there are several, and only there', () => {
		expect(describeFailure(fail(failure, good), context).message).toMatch(
			/ \(job gen_1\) \[item 4 of 20\]$/,
		);
		expect(describeFailure(fail(failure, good), { ...context, items: 1 }).message).toMatch(
			/ \(job gen_1\)$/,
		);
		expect(describeFailure(fail(failure), { ...context, items: 1 }).message).not.toMatch(
			/\[item|job gen/,
		);
	});

	test('reaches n8n with its words, item, what is known, and nothing else', () => {
		const error = nodeError(NODE, fail(failure, good), context);
		const { message, description } = describeFailure(fail(failure, good), context);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ message, description, messages: [] });
		expect(error.context).toEqual({
			itemIndex: 3,
			data: detailsOf(fail(failure, good), context),
		});
		expect(error.cause).toBeUndefined();
	});
});

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
	const job = { ...bad, estimated_credits: 4, credits_refunded: 4, item: 'x' };
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
