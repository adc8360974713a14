import type { ApiRequest, SendResult } from '../../src/base/types';
import { answer, errorBody } from '../model/answers';
import { byId, clock, ended, setUp, type Part } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

/*
 * While a workspace has no credits, one creation of it is sent as a trial every 20 seconds. Whatever ends a
 * trial without an answer about credits, the next one begins at once and loses no time by it.
 */

const TRIAL_EVERY_MS = 20_000;

/** How the row ends that is tried. */
interface Door {
	/** What it says. */
	ends: RegExp;
	/** Parameters of the row; by default it asks for the same as the others do. */
	row?: Record<string, unknown>;
	/** Settings of all rows of its execution. */
	options?: object;
	/** The answer to a request of the row. */
	says?: (request: ApiRequest, stop: AbortSignal) => SendResult | Promise<SendResult> | undefined;
	/** So long after its trial has begun its execution is stopped, in ms. */
	stopAfterMs?: number;
}

const refused = (status: number) => answer(status, errorBody('No'));

/** No answer, until n8n ends the request because the execution is stopped. */
const hangs = async (stop?: AbortSignal): Promise<SendResult> => {
	await clock.sleep(120_000, stop);
	return { noResponse: 'timeout' };
};

const isPost = ({ method }: ApiRequest) => method === 'POST';

const DOORS: Record<string, Door> = {
	// After a 429 the next one waits as well, for a slot.
	...Object.fromEntries(
		[400, 401, 403, 404, 422].map((status): [string, Door] => [
			`the service refuses it with ${status}`,
			{ ends: /: No/, says: (request) => (isPost(request) ? refused(status) : undefined) },
		]),
	),
	'Max Credits per Execution is too low': {
		ends: /Max Credits per Execution .* would be exceeded/,
		row: { parameters: { count: 16 } },
		options: { maxCredits: 10 },
	},
	'Max Credits per Day is too low': {
		ends: /Max Credits per Day .* would be exceeded/,
		row: { parameters: { count: 16 } },
		options: { maxCreditsPerDay: 10 },
	},
	'its execution is stopped while it asks for its price': {
		ends: /was cancelled/,
		row: { model: byId('of unknown price') },
		options: { maxCredits: 10 },
		says: (request, signal) => (isPost(request) ? undefined : hangs(signal)),
		stopAfterMs: 1_000,
	},
	'its execution is stopped while it asks what was spent': {
		ends: /was cancelled/,
		options: { maxCreditsPerDay: 10 },
		says: ({ path }, signal) => (path === '/usage' ? hangs(signal) : undefined),
		stopAfterMs: 1_000,
	},
	'its execution is stopped while it is out': {
		ends: /was cancelled/,
		says: (request) => (isPost(request) ? hangs() : undefined),
		stopAfterMs: 1_000,
	},
};

const promptOf = ({ body }: ApiRequest) => (body as { prompt?: string } | undefined)?.prompt;

const options = { onInsufficientCredits: 'wait', creditWaitTimeout: 5 };

test.each(Object.entries(DOORS))('%s', async (_name, { ends, row, says, stopAfterMs, ...door }) => {
	const sentAt = new Map<string | undefined, number>();
	let closedAt = Infinity;
	const isTrial = () => clock.monotonic() >= closedAt + TRIAL_EVERY_MS;
	const stop = new AbortController();
	const answers: Part['answers'] = (request) => {
		const prompt = promptOf(request);
		if (isPost(request)) sentAt.set(prompt, clock.monotonic());
		if (prompt === 'without credits') {
			closedAt = Math.min(closedAt, clock.monotonic());
			return refused(402);
		}
		// What nobody knows is read for the row only, and only in its trial.
		const isOfRow = prompt === 'the row' || (!isPost(request) && isTrial());
		return isOfRow ? says?.(request, stop.signal) : undefined;
	};
	const t = setUp({
		service: { price: ({ parameters }) => (parameters as { count?: number })?.count ?? 1 },
		given: { downloadOutputs: false, model: byId('m'), options },
		continueOnFail: true,
		answers,
	});
	const item = [{ json: {} }];
	// The price is known.
	await ended(t.run({ executionId: 'before', items: item }, { prompt: 'before' }));
	const run = (executionId: string, own: object, signal?: AbortSignal) =>
		ended(t.run({ executionId, items: item, nodeMemory: {}, signal }, { ...own }));

	const first = run('first', { prompt: 'without credits' });
	await clock.pass(1_000);
	const own = { prompt: 'the row', ...row, options: { ...options, ...door.options } };
	const ofRow = run('of the row', own, stop.signal);
	await clock.pass(1_000);
	const next = run('next', { prompt: 'the next' });
	if (stopAfterMs !== undefined) {
		await clock.pass(closedAt + TRIAL_EVERY_MS + stopAfterMs - clock.monotonic());
		stop.abort();
	}
	const [, { items }] = await Promise.all([first, ofRow, next]);
	expect(items[0]?.json.error).toMatch(ends);
	// One trial later it would be 20 seconds more.
	expect((sentAt.get('the next') ?? Infinity) - closedAt).toBeLessThan(TRIAL_EVERY_MS + 10_000);
});
