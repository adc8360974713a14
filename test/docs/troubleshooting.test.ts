import { ENDPOINTS } from '../../src/contract';
import { fail, type Failure } from '../../src/base/result';
import type { ErrorContext } from '../../src/run/errorContext';
import { wordsOf } from '../../src/run/words';
import { messagesIn, problemsIn, testResultsIn } from '../support/messages';
import { filesIn, PUBLISHED, read } from '../support/sources';

const context: ErrorContext = {
	endpoint: ENDPOINTS.createGeneration,
	creates: true,
	itemIndex: 0,
};

const status = (code: number): Failure => ({
	kind: 'status',
	status: code,
	serviceError: {},
	outcomeUnknown: false,
});

const noResponse = (unsent?: 'connection' | 'certificate' | 'local'): Failure => ({
	kind: 'noResponse',
	reason: '…',
	attempts: 1,
	outcomeUnknown: true,
	unsent,
});

/** One failure of each kind, with … where the text differs from case to case. A new kind does not compile without its own. */
const SAMPLES: Record<Failure['kind'], Failure[]> = {
	input: [{ kind: 'input', field: '…', problem: 'must be …, got …' }],
	scope: [{ kind: 'scope', scope: '…' as never }],
	status: [
		...[400, 401, 402, 403, 404, 407, 429, 511, 599].map(status),
		{ kind: 'status', status: 599, serviceError: { isPage: true }, outcomeUnknown: false },
	],
	noResponse: [
		noResponse(),
		noResponse('connection'),
		noResponse('certificate'),
		noResponse('local'),
	],
	badResponse: [{ kind: 'badResponse', status: 200, problem: '…' }],
	cancelled: [{ kind: 'cancelled' }],
	deadline: [{ kind: 'deadline', waitedMs: 60_000 }],
	jobFailed: [{ kind: 'jobFailed', reason: '…' }],
	notApproved: [{ kind: 'notApproved', reason: '…' }],
	download: [{ kind: 'download', outputId: '…', problem: '…' }],
	upload: [{ kind: 'upload', field: '…', problem: '…' }],
	creditCap: [{ kind: 'creditCap', maxCredits: 77, reserved: 0, price: undefined }],
	noSlot: [{ kind: 'noSlot', waitedMs: 60_000, others: 0 }],
	skipped: [{ kind: 'skipped', cause: '…', becomesRow: false }],
	possibleDuplicate: [{ kind: 'possibleDuplicate', because: 'expired' }],
};

const messages = [
	...Object.values(SAMPLES)
		.flat()
		.map((failure) => wordsOf(fail(failure), context)[0]),
	...[403, 404].map((code) => wordsOf(fail(status(code), { id: '…' }), context)[0]),
].map((text) =>
	text
		.replace('status 599', 'status …')
		.replace(/(after|for) 1 minutes/, '$1 … minutes')
		.replace('(77)', '(…)'),
);

/** What the triggers, the lists of the fields and the credential say by themselves. */
const others = PUBLISHED.flatMap((folder) => filesIn(folder)).flatMap(messagesIn);

/**
 * What is said of a field with a wrong value, without what is said of a file on its way or of a base
 * URL, which has a row of its own. A wrong kind of value is one message for all kinds.
 */
const problems = PUBLISHED.flatMap((folder) => filesIn(folder))
	.filter((file) => !file.startsWith('src/transfer/') && file !== 'src/service/baseUrl.ts')
	.flatMap(problemsIn)
	.map((text) =>
		text
			.replace(/^.* must be .*$/, '… must be …, got …')
			.replace(/^(A parameter|Output Binary Field) /, '… '),
	);

/** What people read under *Test* of a credential. */
const tested = ['src/fields/credentialTest.ts', 'nodes/Trigger/MediaGenTrigger.node.ts'].flatMap(
	testResultsIn,
);

test('messages are found where they are worded', () => {
	expect(others).toEqual(
		expect.arrayContaining([
			'Choose at least one event',
			'The service registered the webhook without …',
			'The webhook cannot be registered: …',
			'Too many requests at the moment. Try again in a minute, or enter an ID.',
		]),
	);
	expect(problems).toEqual(
		expect.arrayContaining([
			'… is empty',
			'… takes at most … items, got …',
			'Update Fields has nothing to update',
		]),
	);
	expect(tested).toEqual(
		expect.arrayContaining([
			'The API key is invalid.',
			'The secret begins or ends with a space. Every delivery would be refused.',
		]),
	);
});

test.each([...new Set([...messages, ...others, ...problems, ...tested])])(
	'docs/troubleshooting.md has cause and cure of: %s',
	(message) => {
		const rows = read('docs/troubleshooting.md').replaceAll('\\_', '_').split('\n');
		const row = rows.find((line) => line.split('|')[1]?.trim() === message);
		const [, , cause, cure] = (row ?? '').split('|').map((cell) => cell.trim());
		expect({ message, cause, cure }).toEqual({
			message,
			cause: expect.stringMatching(/\w/) as string,
			cure: expect.stringMatching(/\w/) as string,
		});
	},
);
