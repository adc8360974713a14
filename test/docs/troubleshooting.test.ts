import { ENDPOINTS } from '../../src/contract';
import { fail, type Failure } from '../../src/base/result';
import type { ErrorContext } from '../../src/run/errorContext';
import { wordsOf } from '../../src/run/words';
import { read } from '../support/sources';

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

test.each([...new Set(messages)])(
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
