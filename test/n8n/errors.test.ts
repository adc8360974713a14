import { NodeApiError } from 'n8n-workflow';
import { ENDPOINTS, type Endpoint } from '../../src/api';
import { detailsOf, nodeError, describeFailure } from '../../src/n8n/output/errors';
import type { ErrorContext } from '../../src/n8n/output/errorContext';
import { creditSentence, creditState } from '../../src/n8n/output/creditSentence';
import {
	type Doubt,
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
	itemsWithJob: 7,
	idempotency: 'execution',
};

const status = (code: number, more: Partial<StatusFailure> = {}): Failure => ({
	kind: 'status',
	status: code,
	serviceError: { message: 'No', type: 'some_type', requestId: 'req_1', details: { note: 'why' } },
	outcomeUnknown: false,
	...more,
});

/** Of a proxy, or of whatever else answers in the place of the service. */
const page = (code: number): Failure =>
	status(code, { serviceError: { message: 'Access denied | Proxy', isPage: true } });

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
	dayCap: { kind: 'dayCap', maxCredits: 500, spent: 480, price: 40 },
	noSlot: { kind: 'noSlot', waitedMs: 1_800_000, others: 3 },
	fault: { kind: 'fault', problem: 'TypeError: x is not a function' },
	skipped: { kind: 'skipped', cause: 'the credits ran out at item 2' },
	possibleDuplicate: { kind: 'possibleDuplicate', because: 'expired' },
};

const NEVER_SENT = [
	'input',
	'scope',
	'creditCap',
	'dayCap',
	'noSlot',
	'skipped',
	'cancelled',
] as const;
const NOTHING_DONE = [...NEVER_SENT, 'upload' as const].map(
	(kind): [string, Failure, 'none spent'] => [kind, KINDS[kind], 'none spent'],
);

/** What a failure by itself shows of the credits: the request did nothing, or nobody knows. */
const EFFECTS: Array<[name: string, failure: Failure, state: 'none spent' | 'unknown']> = [
	...NOTHING_DONE,
	['400', status(400), 'none spent'],
	['402', status(402), 'none spent'],
	['429', status(429), 'none spent'],
	['409', status(409), 'unknown'],
	['422', status(422), 'unknown'],
	['503', status(503, { outcomeUnknown: true }), 'unknown'],
	['the page of a proxy', page(403), 'unknown'],
	['a proxy that wants a sign-in', page(407), 'none spent'],
	['a network that wants a sign-in', page(511), 'none spent'],
	['400 after a lost response', status(400, { outcomeUnknown: true }), 'unknown'],
	['no response', lost(), 'unknown'],
	['no response, a later try unconnected', lost({ unsent: 'connection' }), 'unknown'],
	['no connection', lost({ outcomeUnknown: false, unsent: 'connection' }), 'none spent'],
	['an unusable response', KINDS.badResponse, 'unknown'],
	['no longer tellable', KINDS.possibleDuplicate, 'unknown'],
];

test.each(EFFECTS)('%s: says what is known of the credits', (_, failure, state) => {
	const stateOf = (more: Partial<ErrorContext>) =>
		creditState(fail(failure), { ...context, ...more });
	expect(stateOf({})).toBe(state);
	// An earlier try of the item.
	expect(stateOf({ outcomeUnknown: true })).toBe('unknown');
	expect(stateOf({ outcomeUnknown: true, jobIds: ['gen_1'] })).toBe('reserved or spent');
	const { message, description } = describeFailure(fail(failure), context);
	expect(`${message}. ${description}`).not.toMatch(/undefined|\[object|null|NaN| {2}/);
	const keyless = describeFailure(fail(failure), { ...context, idempotency: 'none' });
	expect(keyless.description).not.toMatch(/goes on with it instead|same idempotency key/);
});

/** What only a person can do, and what stands nowhere else for a model: the way to go on is the same call. */
const OF_PERSONS = /execute the node|retry (this|the) execution|run this again|A new execution/i;
const GOES_ON = /call this tool again with exactly the same arguments|Budget in Credits/;
const PAYS_AGAIN =
	/The same call again would be paid for again|Another call creates a new job, which is paid for/;

describe.each(['execution', 'content', 'custom', 'none'] as const)(
	'to a model, with the mode %s',
	(idempotency) => {
		const job = { id: 'gen_1', object: 'generation', status: 'queued', estimated_credits: 2 };
		const known = Object.entries(KINDS).map(([name, failure]): [string, Failed] => [
			`${name}, of a job that exists`,
			fail(failure, { ...job, status: name === 'jobFailed' ? 'failed' : 'queued' }),
		]);
		const unknown = EFFECTS.map(([name, failure]): [string, Failed] => [name, fail(failure)]);

		test.each([...known, ...unknown])(
			'%s: where credits may be reserved, it is told what the next call does',
			(_, failed) => {
				const told = { ...context, items: 1, isTool: true, idempotency };
				const { message, description } = describeFailure(failed, told);
				const text = `${message}. ${description}`;
				const state = creditState(failed, told);
				const isDecided = ['possibleDuplicate', 'input'].includes(failed.failure.kind);
				if (!isDecided) expect(text).not.toMatch(OF_PERSONS);
				if (state === 'none spent') return expect(text).toMatch(/no credits were spent/);
				const isOfOwnKey = idempotency === 'custom' && failed.failure.kind === 'jobFailed';
				if (isDecided || isOfOwnKey) return expect(description).not.toBe('');
				const isOver = failed.failure.kind === 'jobFailed' || idempotency === 'none';
				const goesOn = isOver && failed.failure.kind !== 'notApproved' ? PAYS_AGAIN : GOES_ON;
				expect(text).toMatch(goesOn);
			},
		);
	},
);

const good = { id: 'gen_1', object: 'generation', status: 'completed' };

const SENDS_AGAIN =
	'sends it again under the same idempotency key, so that nothing is paid for twice.';
const AGAIN = `that ${SENDS_AGAIN}`;
const UNKNOWN = 'Whether the request was carried out is not known.';
const LOOK = 'look for it at the service before creating it again.';
const FETCH = 'at the service: fetch it by its ID';
const INSTEAD = 'which goes on with it instead of paying again.';
const queued = { id: 'gen_1', object: 'generation', status: 'queued' };
const late = (jobStatus?: string) =>
	fail(KINDS.deadline, jobStatus === undefined ? undefined : { ...queued, status: jobStatus });
const remembered = { jobIds: ['gen_1'], outcomeUnknown: true };
const inEditor = { mode: 'manual' } as const;
const rowInEditor = { mode: 'manual', isRow: true } as const;
const inSub = { mode: 'nested' } as const;
const byContent = { idempotency: 'content' } as const;
const ownKey = { idempotency: 'custom' } as const;
const onRetries = { idempotency: 'execution' } as const;
const keyless = { idempotency: 'none' } as const;
const ofRun = { endpoint: ENDPOINTS.approveAgentRun };
const ofReview = { endpoint: ENDPOINTS.reviewAgentRun, charges: false };
const free = (endpoint: Endpoint) => ({ creates: false, charges: false, endpoint });
const beforeItsRequest = { ...fail(status(500)), endpoint: ENDPOINTS.createFile };
const ofItem = 'Nothing was sent for this item, so no credits were spent on it.';

/** What a failure of one item means for the credits, and how to go on where the error is read. */
const SENTENCES: Array<[failed: Failed, context: Partial<ErrorContext>, sentence: string]> = [
	[fail(KINDS.input), {}, 'Nothing was sent, so no credits were spent.'],
	[fail(KINDS.input), { items: 2, isRow: true }, ofItem],
	// Of a run in portions, which has sent the other one.
	[fail(KINDS.input), { items: 2, itemsWithJob: 1 }, ofItem],
	[fail(status(402)), {}, 'Nothing was created and no credits were spent.'],
	[beforeItsRequest, {}, 'Nothing was created and no credits were spent.'],

	[fail(lost()), {}, `${UNKNOWN} To go on, retry this execution: ${AGAIN}`],
	[fail(lost()), inSub, `${UNKNOWN} To go on, retry the execution of this sub-workflow: ${AGAIN}`],
	// n8n does not offer a retry of an execution that went on, but the next click in the editor goes on with
	// it.
	[fail(lost()), { isRow: true }, `${UNKNOWN} A new execution would pay again: ${LOOK}`],
	[fail(lost()), rowInEditor, `${UNKNOWN} To go on, execute the node again: ${AGAIN}`],
	// A review pays for nothing, however often it is sent.
	[
		fail(lost()),
		{ ...ofReview, isRow: true },
		`${UNKNOWN} It costs nothing: look at the service whether it was done before you do it again.`,
	],
	[
		fail(lost()),
		ofReview,
		`${UNKNOWN} To go on, retry this execution: that sends it again under the same idempotency key. It costs nothing.`,
	],
	[fail(lost()), byContent, `${UNKNOWN} Within 24 hours the next execution ${SENDS_AGAIN}`],
	[
		fail(lost()),
		keyless,
		`${UNKNOWN} It had no idempotency key, so it was not sent again: ${LOOK}`,
	],

	[late('queued'), {}, `The job goes on ${FETCH}, or retry this execution, ${INSTEAD}`],
	[
		late('completed'),
		inEditor,
		`The job has finished ${FETCH}, or execute the node again, ${INSTEAD}`,
	],
	[late('failed'), { isRow: true }, `The job has failed ${FETCH}.`],
	[late(), remembered, `The job exists ${FETCH}, or retry this execution, ${INSTEAD}`],
	[late(), { ...remembered, ...keyless }, `The job exists ${FETCH}.`],
	// The next try may make a different request.
	[fail(KINDS.input), remembered, `The job exists ${FETCH}.`],

	[
		fail(status(404), { id: 'gen_1', status: 'queued' }),
		{},
		'Nobody knows more of the job than its ID: retry this execution, which looks for it again before anything is paid for.',
	],
	[
		fail(status(410), { id: 'gen_1', status: 'queued' }),
		keyless,
		'Nobody knows more of the job than its ID.',
	],

	[fail(KINDS.jobFailed), {}, 'Another try creates a new job, which is paid for.'],
	[fail(KINDS.jobFailed), ofRun, 'It cannot be done again: create a new run.'],
	[
		fail(KINDS.jobFailed),
		ownKey,
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
	expect(creditSentence(failed, { ...context, items: 1, itemsWithJob: 0, ...more })).toBe(sentence);
});

test('what costs nothing has spent nothing, whether it was carried out or not', () => {
	const lostReview = { ...context, ...ofReview, items: 1, itemsWithJob: 0 };
	expect(creditState(fail(lost()), lostReview)).toBe('none spent');
	const tool = { ...lostReview, ...keyless, isTool: true };
	expect(creditSentence(fail(lost()), tool)).not.toMatch(/paid/);
});

test.each(Object.values(KINDS))(
	'$kind reaches n8n with its words, its job, its item where there are several, and nothing else',
	(failure) => {
		const failed = fail(failure, good);
		const error = nodeError(NODE, failed, context);
		const { message, description } = describeFailure(failed, context);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ message, description, messages: [] });
		// The editor would write n8n's own number behind ours, and it counts from 0: [item 4 of 20] [item 3].
		expect(error.context).toEqual({ data: detailsOf(failed, context) });
		expect(error.cause).toBeUndefined();
		expect(message).toMatch(/ \(job gen_1\) \[item 4 of 20\]$/);
		const alone = { ...context, items: 1 };
		expect(nodeError(NODE, failed, alone).context.itemIndex).toBe(3);
		expect(describeFailure(failed, alone).message).toMatch(/ \(job gen_1\)$/);
		expect(describeFailure(fail(failure), alone).message).not.toMatch(/\[item|job gen/);
	},
);

test('a message ends without a full stop, whatever the service has said last', () => {
	const refused = fail(status(402, { serviceError: { message: 'The workspace has 0 credits.' } }));
	const alone = { ...context, items: 1 };
	expect(describeFailure(refused, alone).message).toMatch(/The workspace has 0 credits$/);
	expect(describeFailure(refused, context).message).toMatch(/ has 0 credits \[item 4 of 20\]$/);
});

test('where nobody knows what was spent, raising the limit is no advice', () => {
	const cap = { kind: 'creditCap', maxCredits: 20, reserved: 18, price: 4 } as const;
	expect(describeFailure(fail(cap), context).description).toMatch(
		/has reserved 18 credits, and.* Raise/,
	);
	const { message, description } = describeFailure(fail({ ...cap, isGuess: true }), context);
	expect(message).toContain('nobody knows what a request without an answer has cost');
	expect(description).toContain('or remove the limit');
	expect(description).not.toContain('Raise');
});

test('sums of fractions are told as credits are', () => {
	const cap = { kind: 'creditCap', maxCredits: 1, reserved: 0.1 + 0.2, price: 3 * 0.7 } as const;
	expect(describeFailure(fail(cap), context).description).toMatch(
		/^This execution has reserved 0\.3 credits, and this item is expected to cost 2\.1, at/,
	);
});

/** Everything that a failure holds, with this word in every text. */
const saidBySomebody = (failure: Failure): Failure =>
	JSON.parse(
		JSON.stringify(failure, (name, value: unknown) =>
			typeof value === 'string' && !['kind', 'because', 'unsent'].includes(name)
				? `${value} (canceled)`
				: value,
		),
	) as Failure;

test.each(Object.values(KINDS).map(saidBySomebody))(
	'$kind: n8n does not take it for a stop by hand, whatever the service says',
	(failure) => {
		const error = nodeError(NODE, fail(failure, { id: 'gen_1', status: 'canceled' }), context);
		expect(error.message).not.toContain('canceled');
	},
);

test.each([
	[401, /^The API key is invalid or missing: No/, /enter a valid key/],
	[402, /^Not enough credits: No/, /7 of 20 items have a job\. Top up/],
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

const saying = (message: string) => status(402, { serviceError: { message } });
const ofOther = status(409, { serviceError: { message: 'Key reused with a different body' } });
const waiting = { creates: false, charges: false, endpoint: ENDPOINTS.getJob };
const duplicate = (because: Doubt, job?: Resource) =>
	fail({ kind: 'possibleDuplicate', because }, job);
const LOOK_FIRST =
	'Look for its job at the service \\(Get Many lists the newest\\): if there is none, retry this execution';

/** What an error says of what happened and what to do. */
const WORDS: Array<[failed: Failed, context: Partial<ErrorContext>, says: RegExp]> = [
	// The scope that is missing is that of the request that failed.
	[fail(status(403)), {}, /not allowed to do this.*scope generations:write/],
	[fail(status(403), good), {}, /not allowed to read the job.*scope generations:read/],
	[fail(status(403), { id: 'a' }), { object: 'agent_run' }, /scope agents:read/],
	[{ ...fail(status(403)), endpoint: ENDPOINTS.createFile }, {}, /scope files:write/],
	[fail(status(403)), waiting, /read scope of the resource/],
	// What a foreign page says is not taken for the service.
	[
		fail(page(403)),
		{},
		/^A proxy .* answered .* \(status 403\): Access denied \| Proxy(?!.*scope)/,
	],
	[fail(page(407)), {}, /^A proxy between n8n and the service wants a sign-in(?!.*scope)/],
	[fail(page(511)), {}, /^The network between n8n and the service wants a sign-in(?!.*scope)/],
	// What was refused may be the key.
	[fail(status(400)), byContent, /If that is the idempotency key, set Avoid Paying Twice to On/],
	[fail(status(422)), ownKey, /If that is the idempotency key, enter a new one/],
	[fail(status(402)), ownKey, /keeps the refusal for this Own Key: enter another one\./],
	[
		fail({ kind: 'noSlot', waitedMs: 60_000, others: 0 }),
		ownKey,
		/Run this later\. If it is refused again then, the service keeps the refusal for this Own Key: enter another one\./,
	],
	[fail({ kind: 'noSlot', waitedMs: 60_000, others: 0 }), onRetries, /Run this later(?!.*Own Key)/],
	[fail(status(402)), byContent, /Top up(?!.*Own Key)/],
	[fail(ofOther), ownKey, /Another key is needed\. Enter another Own Key\./],
	[fail(ofOther), byContent, /Another key is needed\. Set Avoid Paying Twice to On Retries\./],
	[fail(ofOther), onRetries, /Another key is needed\. On Retries takes one by itself/],
	[fail(status(400)), {}, /\. Correct what the service names\. (?!If)/],
	// n8n would replace a message with a code that it knows.
	[fail(saying('ENOENT and ECONNREFUSED')), {}, /: ENOENT and ECONNREFUSED/],
	// What only repeats the status is not quoted.
	[fail(saying('not enough credits')), {}, /^Not enough credits \[/],
	[duplicate('expired'), {}, RegExp(`its idempotency key is no longer valid.* ${LOOK_FIRST}`)],
	[duplicate('changed'), {}, RegExp(`the request has been changed since.* ${LOOK_FIRST}`)],
	[
		duplicate('otherWorkspace'),
		{},
		/another API key or base URL since\. Look for its job with the earlier key \(Get Many lists the newest\): if there is none, as where the base URL was wrong, retry this execution, which then sends it with the new one\./,
	],
	[
		duplicate('jobElsewhere', good),
		{},
		/The job .* was made with another API key\. To get it, enter that key again, .* For a new one, which is paid for, retry this execution\.$/,
	],
	[duplicate('jobGone', good), {}, /may have been deleted\. .*paid for, retry this execution\.$/],
	[
		duplicate('jobGone', good),
		ownKey,
		/paid for, enter another Own Key and retry this execution\.$/,
	],
	// The prompt is not to blame where credits are.
	[
		fail({ ...KINDS.jobFailed, lacks: 'credits' }),
		{},
		/Top up the workspace, then retry this execution\. (?!.*prompt)/,
	],
	[
		fail({ ...KINDS.jobFailed, lacks: 'credits' }, queued),
		waiting,
		/Top up the workspace and create it again\.(?!.*prompt)/,
	],
	[
		fail({ ...KINDS.jobFailed, lacks: 'budget' }),
		ofRun,
		/larger Budget in Credits\. It cannot be done again: create a new run/,
	],
	// A job that was only waited for.
	[fail(KINDS.jobFailed, queued), waiting, /Change the prompt or the inputs and create it again\./],
];

test.each(WORDS)('%j, %j: what is said', (failed, more, says) => {
	const { message, description } = nodeError(NODE, failed, { ...context, ...more });
	expect(`${message}. ${description}`).toMatch(says);
});

const statusOf = (status: number): Failure => ({
	kind: 'status',
	status,
	serviceError: { type: 'some' },
	outcomeUnknown: false,
});

test('the details of a failed job are the job, its status, and its credits', () => {
	const job = { ...queued, status: 'failed', estimated_credits: 4, credits_refunded: 4, item: 'x' };
	expect(detailsOf(fail(KINDS.jobFailed, job), context)).toEqual({
		item: 4,
		jobId: 'gen_1',
		status: 'failed',
		estimated_credits: 4,
		credits_refunded: 4,
		tryAgain: 'never',
	});
});

test.each([
	[{ kind: 'input', field: 'Prompt', problem: 'is empty' }, 'never'],
	[{ kind: 'upload', field: 'data', problem: 'is a page' }, 'never'],
	[{ kind: 'jobFailed', reason: 'too dark' }, 'never'],
	[{ kind: 'jobFailed', reason: 'no credits', lacks: 'credits' }, 'afterTopUp'],
	[{ kind: 'jobFailed', reason: 'used up', lacks: 'budget' }, 'never'],
	[{ kind: 'skipped', cause: 'the credits ran out at item 3', lacksCredits: true }, 'afterTopUp'],
	[{ kind: 'scope', scope: 'files:write' }, 'later'],
	[{ kind: 'deadline', waitedMs: 60_000 }, 'later'],
	[{ kind: 'noSlot', waitedMs: 60_000, others: 0 }, 'later'],
	[{ kind: 'skipped', cause: 'x', becomesRow: true }, 'later'],
	...[400, 404, 422].map((status) => [statusOf(status), 'never'] as const),
	...[401, 403, 429, 500, 503].map((status) => [statusOf(status), 'later'] as const),
	[statusOf(402), 'afterTopUp'],
] as Array<[Failure, string]>)(
	'a failed row says whether it can work unchanged: %j',
	(failure, tryAgain) => {
		expect(detailsOf(fail(failure), context)).toMatchObject({ tryAgain });
	},
);

test('an error keeps a beginning of what others say, however long that is', () => {
	const long = '😀'.repeat(500_000);
	const longText = (name: string) => `${name} ${long}`;
	const said = { message: long, type: long, requestId: long, details: { [long]: [long] } };
	const failures: Failure[] = [
		status(400, { serviceError: said }),
		{ ...KINDS.input, field: longText('Options'), problem: long, hint: long },
		{ ...KINDS.download, outputId: long, problem: long },
		{ ...KINDS.jobFailed, reason: long },
		lost({ reason: long }),
	];
	for (const failure of failures) {
		const job = { id: long, status: long, estimated_credits: long, [`credit_${long}`]: long };
		const error = nodeError(NODE, fail(failure, job), { ...context, jobIds: [long] });
		expect(error.message).toMatch(/\[item 4 of 20\]$/);
		expect(error.message.length).toBeLessThan(3_000);
		expect((error.description ?? '').length).toBeLessThan(5_000);
		const data = error.context.data as Record<string, unknown>;
		for (const value of [data.type, data.requestId, data.details, data.status])
			if (value !== undefined) expect(JSON.stringify(value).length).toBeLessThan(25_000);
		expect(Object.keys(data).join('').length).toBeLessThan(1_000);
	}
	const short = fail(status(400), { id: 'gen_1', status: 'queued' });
	expect(detailsOf(short, context)).toMatchObject({ status: 'queued', details: { note: 'why' } });
});

test('a failed part of a text hides no other part that is paid for', () => {
	const failed = fail({ kind: 'jobFailed', reason: 'no' }, { id: 'gen_1', status: 'failed' });
	const details = detailsOf(failed, { ...context, jobIds: ['gen_2'] });
	expect(details).toMatchObject({ jobId: 'gen_1', jobIds: ['gen_1', 'gen_2'] });
});
