import { newMemory, nodeMemoryIn } from '../../../src/creation/idempotency/itemState';
import type { Send } from '../../../src/base/types';
import { answer } from '../../model/answers';
import { LedgerService } from '../../model/ledgerService';
import { createJob, hostWith, runAll, workspaceWith } from '../../model/run';
import { VirtualClock } from '../../model/virtualClock';

/*
 * Same Request at a service that keeps a 402 for its key: the executions of a process that have met it use
 * one key of their own in its place, also while it is under way for one of them.
 */

function setUp() {
	const clock = new VirtualClock();
	const workspace = workspaceWith(clock);
	const traits = { caches402: true, balanceFirst: false, comparesBody: true, showsNow: true };
	const service = new LedgerService(clock, { ...traits, saysWhen: false }, () => {});
	let executions = 0;
	const execute = async (send: Send) => {
		executions += 1;
		const executionId = `execution ${executions}`;
		const nodeMemory = nodeMemoryIn({}, executionId);
		const host = hostWith(send, {}, executionId);
		const settings = { idempotency: 'content' as const };
		const partsOf = () => ({
			host,
			workspace,
			nodeMemory,
			memory: newMemory(),
			settings,
			origin: { executionId },
		});
		return await runAll(1, partsOf, createJob);
	};
	return { clock, service, execute };
}

test('the key under way is not given up because another execution is refused for want of a slot', async () => {
	const { clock, service, execute } = setUp();
	service.balance = 0;
	await clock.run(execute(service.send));
	service.balance = 5;
	let isBusy = false;
	const slow: Send = async (request) => {
		const made = await service.send(request);
		if (request.method === 'POST' && 'status' in made && made.status === 202) {
			isBusy = true;
			await clock.sleep(70_000);
			isBusy = false;
		}
		return made;
	};
	const refused: Send = async (request) =>
		request.method === 'POST' && isBusy ? answer(429) : await service.send(request);
	const results = await clock.run(Promise.all([execute(slow), execute(refused)]));
	const ids = results.flat().map((result) => (result.ok ? result.value.id : result.failure));
	expect(ids).toEqual([ids[0], ids[0]]);
	expect(service.charges).toHaveLength(1);
});

test('a key that is refused to one execution and accepted for another stands in from then on', async () => {
	const { clock, service, execute } = setUp();
	service.balance = 0;
	const kept = new Set<unknown>();
	/** Keeps the first 402 for its key, and looks at the balance before it looks for later keys. */
	const byBalance =
		(delayMs: number): Send =>
		async (request) => {
			const key = request.headers?.['Idempotency-Key'];
			if (request.method !== 'POST') return await service.send(request);
			if (kept.has(key) || service.balance <= 0) {
				if (service.charges.length === 0) kept.add(key);
				return answer(402);
			}
			const made = await service.send(request);
			await clock.sleep(delayMs);
			return made;
		};
	await clock.run(execute(byBalance(0)));
	service.balance = 1;
	await clock.run(Promise.all([execute(byBalance(20_000)), execute(byBalance(0))]));
	service.balance = 5;
	await clock.run(execute(byBalance(0)));
	expect(service.charges).toHaveLength(1);
});
