import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { ENDPOINTS } from '../../src/contract';
import { nodeError, tell, type ErrorContext } from '../../src/transport/errors';
import { fail, type Failure } from '../../src/transport/result';
import { NODE } from '../support/nodeContext';

const context: ErrorContext = {
	endpoint: ENDPOINTS.createGeneration,
	itemIndex: 3,
	submitted: 7,
	notSubmitted: 13,
};

const status = (code: number, more = {}): Failure => ({
	kind: 'status',
	status: code,
	said: { message: 'No', type: 'some_type', requestId: 'req_1', details: { field: 'prompt' } },
	unclear: false,
	...more,
});

/** One of each kind; a kind that is added to the type must be added here. */
const KINDS: { [K in Failure['kind']]: Extract<Failure, { kind: K }> } = {
	input: { kind: 'input', field: 'Prompt', problem: 'is empty', hint: 'Enter one' },
	scope: { kind: 'scope', scope: 'files:write' },
	status: status(400) as Extract<Failure, { kind: 'status' }>,
	lost: { kind: 'lost', reason: 'timeout', attempts: 5, replayable: true, sent: true },
	answer: { kind: 'answer', status: 200, problem: 'it is no JSON object' },
	cancelled: { kind: 'cancelled' },
	deadline: { kind: 'deadline', waitedMs: 90_000 },
	jobFailed: { kind: 'jobFailed', reason: 'too dark' },
	download: { kind: 'download', outputId: 'out_1', problem: 'timeout' },
	upload: { kind: 'upload', field: 'clip', problem: 'timeout' },
	notSent: { kind: 'notSent', cause: 'the credits ran out at item 2', credits: true },
	uncertain: { kind: 'uncertain', candidates: ['gen_7', 'gen_8'] },
};

describe.each(Object.values(KINDS))('$kind', (failure) => {
	const job = { id: 'gen_1' };

	test('names the item, and the job if there is one', () => {
		const words = tell(fail(failure, job), context);
		expect(words.message).toMatch(/ \(job gen_1\) \[item 3\]$/);
		expect(words.description).toMatch(/gen_1\.$/);
		expect(tell(fail(failure), context).message).not.toMatch(/job gen_1/);
	});

	test('says what happened and what to do or what it means for the credits', () => {
		const { message, description } = tell(fail(failure), context);
		expect(message.length).toBeGreaterThan(10);
		expect(description.length).toBeGreaterThan(15);
		expect(`${message}${description}`).not.toMatch(/undefined|\[object|null|NaN/);
	});

	test('reaches n8n with its words, item and nothing else', () => {
		const error = nodeError(NODE, fail(failure, job), context);
		const { message, description } = tell(fail(failure, job), context);
		expect(error).toMatchObject({ message, description });
		expect(error.context.itemIndex).toBe(3);
		expect(JSON.stringify(error.cause ?? {})).toMatch(/^\{.{0,60}\}$/);
		expect(error instanceof NodeApiError || error instanceof NodeOperationError).toBe(true);
	});
});

test.each([
	[400, /^The service refused the request as invalid: No/, /no credits were spent/],
	[401, /^The API key is invalid or missing: No/, /enter a valid key/],
	[402, /^Not enough credits: No/, /7 item\(s\) of this run were submitted, 13 were not\. Top up/],
	[403, /^The key is not allowed to do this: No/, /scope generations:write.*subscription/],
	[404, /^Not found: No/, /same workspace/],
	[429, /^Rate or concurrency limit exceeded: No/, /lower Requests per Minute/],
	[500, /^The service answered with status 500: No/, /Try again later/],
	[418, /^The service answered with status 418: No/, /Try again later/],
])('%i is told in words that n8n does not replace', (code, message, description) => {
	const error = nodeError(NODE, fail(status(code)), context);
	expect(error.message).toMatch(message);
	expect(error.description).toMatch(description);
	expect((error as NodeApiError).httpCode).toBe(String(code));
	expect(error.description).toContain(
		'Request ID: req_1. Error type: some_type. Details: {"field":"prompt"}.',
	);
});

test('an unclear creation is told so; an unclear reading is not worth a word', () => {
	const unclear = fail(status(503, { unclear: true }));
	expect(tell(unclear, context).description).toMatch(/unclear.*same idempotency key/);
	const reading = { ...context, endpoint: ENDPOINTS.getGeneration };
	expect(tell(unclear, reading).description).not.toMatch(/unclear/);
});

test('a lost answer without a key warns of creating it again', () => {
	const lost = fail({
		kind: 'lost',
		reason: 'timeout',
		attempts: 1,
		replayable: false,
		sent: true,
	});
	expect(tell(lost, context).description).toMatch(/not sent again.*look at Get Many/);
});

test.each([
	[
		'connection',
		/^The service cannot be reached \(ECONNREFUSED\)/,
		/Check the base URL.*Nothing was/,
	],
	[
		'certificate',
		/^The certificate of the service is not accepted/,
		/private authority.*Nothing was/,
	],
	['local', /^n8n could not send the request: ECONNREFUSED/, /Check the credential.*Nothing was/],
] as const)('a %s failure is no unclear outcome', (unsent, message, description) => {
	const failure = { kind: 'lost', reason: 'ECONNREFUSED', attempts: 5, replayable: true } as const;
	const told = tell(fail({ ...failure, sent: false, unsent }), context);
	expect(told.message).toMatch(message);
	expect(told.description).toMatch(description);
	expect(told.description).not.toMatch(/unclear/);
	expect(tell(fail({ ...failure, sent: true, unsent }), context).description).toMatch(/unclear/);
});

test('a job that is read needs the scope of what it is', () => {
	const reading = { ...context, endpoint: ENDPOINTS.getJob };
	expect(tell(fail(status(403)), reading).description).toMatch(/read scope of the resource/);
});

test('details are cut, and any detail can be told', () => {
	const said = { details: { long: 'x'.repeat(10_000) } };
	expect(tell(fail(status(400, { said })), context).description.length).toBeLessThan(2_500);
	for (const details of [0, '', false, [], null]) {
		expect(tell(fail(status(400, { said: { details } })), context).message).toMatch(
			/invalid \[item 3\]$/,
		);
	}
});

test('a deadline tells minutes, and how to go on', () => {
	const { message, description } = tell(fail(KINDS.deadline, { id: 'gen_1' }), context);
	expect(message).toBe('Not finished after 1.5 minutes (job gen_1) [item 3]');
	expect(description).toMatch(/continues with the same job/);
});
