import { operations } from '../../nodes/AgentRun/operations';
import { Run } from '../../src/run/run';
import { createJob } from '../../src/run/creation';
import { slotKindOf } from '../../src/run/item';
import { ENDPOINTS } from '../../src/contract';
import { isRecord, type Send } from '../../src/base/types';
import { answer } from '../model/answers';
import { hostWith, runOf, workspaceWith } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const MINUTE = 60_000;

function specOf(operation: string) {
	const found = operations.find(({ value }) => value === operation);
	if (!found) throw new Error(`There is no operation ${operation}`);
	return found.spec;
}

/** A service that carries out one agent run at a time, each in ten minutes. Specification: Limits. */
function setUp() {
	const clock = new VirtualClock();
	const workspace = workspaceWith(clock);
	const endsAt: number[] = [];
	let refused = 0;
	const isLive = () => endsAt.some((at) => at > clock.now());
	const send: Send = async ({ method, path, body }) => {
		await clock.sleep(100);
		const run = (index: number, more = {}) => ({
			id: `run_${index}`,
			object: 'agent_run',
			status: (endsAt[index] ?? 0) > clock.now() ? 'running' : 'awaiting_review',
			plan: {},
			...more,
		});
		if (method === 'GET') return answer(200, run(Number(path.split('_')[1])));
		const isCarriedOut =
			path.endsWith('/approve') || (isRecord(body) && body.auto_approve === true);
		if (isCarriedOut && isLive()) {
			refused += 1;
			return answer(429);
		}
		const takes = isCarriedOut ? 10 * MINUTE : 0;
		endsAt.push(clock.now() + takes);
		const made = run(endsAt.length - 1, isCarriedOut ? {} : { status: 'plan_proposed' });
		return answer(isCarriedOut ? 202 : 201, made);
	};
	const nodeRun = new Run(10, false);
	let items = 0;
	const create = async (body: Record<string, unknown>, own = workspace) => {
		const { method, path } = ENDPOINTS.createAgentRun;
		const request = { method, path, query: {}, body: { brief: `${items}`, ...body } };
		const item = { run: nodeRun, itemIndex: items++, spec: specOf('create'), request };
		return await createJob(
			runOf({
				...item,
				host: hostWith(send),
				workspace: own,
				prompt: `${items}`,
				settings: { waitTimeoutMs: 60 * MINUTE },
			}),
		);
	};
	return { clock, create, refused: () => refused };
}

test('three runs that approve themselves pass one after the other, without a refusal', async () => {
	const { clock, create, refused } = setUp();
	const began = clock.now();
	const runs = [1, 2, 3].map(async () => await create({ auto_approve: true }));
	const ended = await clock.run(Promise.all(runs));
	expect(ended).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
	expect(refused()).toBe(0);
	expect(clock.now() - began).toBeLessThanOrEqual(32 * MINUTE);
});

test.each([
	['create', { auto_approve: true }, 'agent'],
	['create', {}, undefined],
	['approve', { max_credits: 5 }, 'agent'],
	['review', { decision: 'assemble' }, undefined],
] as const)('%s with %j takes the slot %s', (value, body, slot) => {
	const spec = specOf(value);
	const { method, path } = spec.endpoint;
	expect(slotKindOf({ spec, request: { method, path, body } })).toBe(slot);
});
