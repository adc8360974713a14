import { ENDPOINTS } from '../../src/api';
import { fail, type Failure } from '../../src/base/result';
import type { ErrorContext } from '../../src/n8n/output/errorContext';
import { wordsOf } from '../../src/n8n/output/words';
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

/**
 * One failure of each kind, with … where the text differs from case to case. A new kind does not compile
 * without its own.
 */
const SAMPLES: Record<Failure['kind'], Failure[]> = {
	input: [{ kind: 'input', field: '…', problem: 'must be …, got …' }],
	scope: [{ kind: 'scope', scope: '…' as never }],
	status: [
		...[400, 401, 402, 403, 404, 407, 429, 511, 599].map(status),
		{ kind: 'status', status: 599, serviceError: { isPage: true }, outcomeUnknown: false },
		{ kind: 'status', status: 409, serviceError: { type: 'key_reused' }, outcomeUnknown: false },
	],
	noResponse: [
		noResponse(),
		noResponse('connection'),
		noResponse('certificate'),
		noResponse('local'),
	],
	badResponse: [{ kind: 'badResponse', status: 200, problem: '…' }],
	cancelled: [{ kind: 'cancelled' }],
	deadline: [{ kind: 'deadline', waitedMs: 120_000 }],
	jobFailed: [{ kind: 'jobFailed', reason: '…' }],
	notApproved: [{ kind: 'notApproved', reason: '…' }],
	download: [{ kind: 'download', outputId: '…', problem: '…' }],
	upload: [{ kind: 'upload', field: '…', problem: '…' }],
	creditCap: [
		{ kind: 'creditCap', maxCredits: 77, reserved: 0, price: undefined },
		{ kind: 'creditCap', maxCredits: 77, reserved: 0, price: null },
		{ kind: 'creditCap', maxCredits: 77, reserved: 0, price: 1, isGuess: true },
	],
	dayCap: [
		{ kind: 'dayCap', maxCredits: 77, spent: 66, price: 55 },
		{
			kind: 'dayCap',
			maxCredits: 77,
			spent: 0,
			price: undefined,
			obstacle: { kind: 'unsaid', problem: '…' },
		},
	],
	noSlot: [{ kind: 'noSlot', waitedMs: 120_000, others: 0 }],
	fault: [{ kind: 'fault', problem: '…' }],
	skipped: [{ kind: 'skipped', cause: '…' }],
	possibleDuplicate: [
		{ kind: 'possibleDuplicate', because: 'expired' },
		{ kind: 'possibleDuplicate', because: 'jobGone' },
	],
};

const messages = [
	...Object.values(SAMPLES)
		.flat()
		.map((failure) => wordsOf(fail(failure), context)[0]),
	...[403, 404].map((code) => wordsOf(fail(status(code), { id: '…' }), context)[0]),
].map((text) =>
	text
		.replace('status 599', 'status …')
		.replace(/(after|for) 2 minutes/, '$1 … minutes')
		.replace('(77)', '(…)')
		.replace('66 credits', '… credits')
		.replace('cost 55', 'cost …'),
);

/** What the triggers, the lists of the fields and the credential say by themselves. */
const others = PUBLISHED.flatMap((folder) => filesIn(folder)).flatMap(messagesIn);

/**
 * What is said of a field with a wrong value, without what is said of a file on its way or of a field of
 * the credential, which have rows of their own. A wrong kind of value is one message for all kinds.
 */
const problems = PUBLISHED.flatMap((folder) => filesIn(folder))
	.filter((file) => !file.startsWith('src/files/') && file !== 'src/transport/credential.ts')
	.flatMap(problemsIn)
	.map((text) =>
		text
			.replace(/^.* must be .*$/, '… must be …, got …')
			.replace(/^(A parameter|Output Binary Field) /, '… '),
	);

/** What people read under *Test* of a credential. */
const tested = ['src/n8n/credentialTest.ts', 'nodes/Trigger/MediaGenTrigger.node.ts'].flatMap(
	testResultsIn,
);

const all = new Set([...messages, ...others, ...problems, ...tested]);

const page = read('docs/troubleshooting.md');

/** What n8n says by itself, which no source of ours has. */
const [ofOurs = '', ofN8n = ''] = page.split('## What n8n itself shows');

interface Entry {
	/** One or several, which have the same cause and cure. */
	messages: string[];
	cause: string;
	cure: string;
}

/** An entry is a row of a table: its messages in bold, the cause, what to do. */
function entriesIn(text: string): Entry[] {
	const rows = text.split('\n').filter((line) => line.startsWith('| **'));
	return rows.map((row) => {
		const [, said = '', cause = '', cure = ''] =
			/^\| ((?:(?:, | or )?\*\*.*?\*\*)+) \| (.*?) \| (.*) \|$/.exec(row) ?? [];
		const messages = [...said.matchAll(/\*\*(.*?)\*\*/g)].map(([, message = '']) => message);
		return { messages, cause, cure };
	});
}

const entries = entriesIn(ofOurs);

test.each([...all])('docs/troubleshooting.md has cause and cure of: %s', (message) => {
	const { cause, cure } = entries.find(({ messages: said }) => said.includes(message)) ?? {};
	expect({ message, cause, cure }).toEqual({
		message,
		cause: expect.stringMatching(/\w/) as string,
		cure: expect.stringMatching(/\w/) as string,
	});
});

/** What is put together of two places, or shows itself without a message. */
const NOT_FOUND_WHOLE = [
	'… cannot be evaluated',
	'The webhook … was left at the service: …',
	'The base URL of the credential …',
	'The API key of the credential …',
	'The base URL …',
	'The API key …',
	'Nothing starts, and the service has no webhook',
	'Nothing starts, deliveries are answered 401',
	'Events come late',
];

test('every other entry of docs/troubleshooting.md is a message that can come', () => {
	const known = [...all, ...NOT_FOUND_WHOLE];
	const said = entries.flatMap(({ messages: ofEntry }) => ofEntry);
	expect(said.filter((message) => !known.includes(message))).toEqual([]);
	expect(said.filter((message, index) => said.indexOf(message) !== index)).toEqual([]);
});

test('what n8n says by itself has a cause and a way out, too', () => {
	const others = entriesIn(ofN8n);
	expect(others.length).toBeGreaterThan(10);
	const empty = others.filter(
		({ messages: said, cause, cure }) => said.length === 0 || !/\w/.test(cause) || !/\w/.test(cure),
	);
	expect(empty).toEqual([]);
});

test('what looks like an entry is one', () => {
	const rows = page.split('\n').filter((line) => /^\|(?! Message|-)/.test(line));
	expect(rows).toHaveLength(entries.length + entriesIn(ofN8n).length);
});
