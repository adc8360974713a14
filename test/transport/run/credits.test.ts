import { Batch } from '../../../src/transport/run/batch';
import type { ApiRequest } from '../../../src/transport/base/types';
import { fail, type Failed } from '../../../src/transport/base/result';
import { BinaryReference } from '../../../src/transport/run/binaryReference';
import { meaningOf } from '../../../src/transport/http/statuses';
import { becomesErrorItem, CreditWait, progress } from '../../../src/transport/run/credits';
import { create } from '../../../src/transport/run/create';
import { runThroughGate } from '../../../src/transport/run/runThroughGate';
import { answer, errorBody } from '../../../testing/answers';
import { hostWith, runOf, settingsWith, sourceWith, workspaceWith } from '../../../testing/run';
import { VirtualClock } from '../../../testing/virtualClock';

const refused = (status: number): Failed =>
	fail({ kind: 'status', status, serviceError: {}, outcomeUnknown: false });

const skipped = (credits: boolean): Failed => fail({ kind: 'skipped', cause: 'x', credits });

test.each([
	['a 402', refused(402), true],
	['an item skipped for lack of credits', skipped(true), true],
	['an item skipped for another reason', skipped(false), false],
	['another refusal', refused(403), false],
])('continue: %s becomes an error item: %s', (_name, failed, isItem) => {
	const settings = settingsWith({ onInsufficientCredits: 'continue' });
	expect(becomesErrorItem(failed, settings)).toBe(isItem);
	for (const onInsufficientCredits of ['stop', 'wait'] as const) {
		expect(becomesErrorItem(failed, settingsWith({ onInsufficientCredits }))).toBe(false);
	}
});

test.each([
	['wait', 402, true],
	['wait', 403, false],
	['stop', 402, false],
	['continue', 402, false],
] as const)('%s: an item that meets a %i waits: %s', async (value, status, waits) => {
	const clock = new VirtualClock();
	const host = hostWith(async () => answer(200));
	const settings = { onInsufficientCredits: value, creditWaitTimeoutMs: 5_000 };
	const item = runOf({ host, workspace: workspaceWith(clock), settings });
	const wait = new CreditWait(item);
	expect(wait.waitsAfter(refused(status))).toBe(waits);
	const started = clock.monotonic();
	expect((await clock.run(wait.mayTry())).ok).toBe(!waits);
	expect(clock.monotonic() - started).toBe(waits ? 5_000 : 0);
});

test('the error counts the items only while the numbers stay right', () => {
	const topUp = 'Top up the workspace, then retry this execution.';
	const said = (counts: Parameters<typeof progress>[0]) =>
		meaningOf(402).words({ progress: progress(counts) });
	expect(said({ items: 3, submitted: 1, notSubmitted: 2 })).toEqual([
		'Not enough credits',
		`1 item of this run was submitted, 2 were not. ${topUp}`,
	]);
	expect(said({ items: 3, notSubmitted: 3 })[1]).toBe(topUp);
	expect(said({ items: 1, submitted: 0, notSubmitted: 1 })[1]).toBe(topUp);
});

describe('nothing further is sent after a 402', () => {
	/** Two items with a file each; the second upload takes longer than the first creation. */
	async function sentWith(concurrentJobs: number) {
		const clock = new VirtualClock();
		const sent: string[] = [];
		const respond = async ({ path }: ApiRequest) => {
			sent.push(path);
			await clock.sleep(100);
			if (path !== '/files') return answer(402, errorBody('No'));
			const url = `https://files.example/${sent.length}`;
			return answer(201, { upload_url: 'https://put.example/x?sig=1', upload_headers: {}, url });
		};
		const workspace = workspaceWith(clock, { concurrentJobs });
		const batch = new Batch(2, false);
		void batch.firstRequest.open(clock);
		const body = { input: { video: [new BinaryReference('clip')] } };
		const request: ApiRequest = { method: 'POST', path: '/generations', body };
		const items = [0, 1].map(async (itemIndex) => {
			const put = async () => {
				await clock.sleep(itemIndex * 1_000);
				return answer(200, '');
			};
			const host = hostWith(respond, { binary: async () => sourceWith(), put });
			return await runThroughGate(runOf({ host, workspace, batch, itemIndex, request }), create);
		});
		const [, second] = await clock.run(Promise.all(items));
		expect(second).toMatchObject({ failure: { kind: 'skipped', credits: true } });
		return sent;
	}

	test('by an item that waits for the slot of the refused one', async () => {
		expect(await sentWith(1)).toEqual(['/files', '/generations']);
	});

	test('by an item that has been uploading meanwhile', async () => {
		expect(await sentWith(4)).toEqual(['/files', '/files', '/generations']);
	});
});
