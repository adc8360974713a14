/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { operations } from '../../nodes/AgentRun/operations';
import type { Result } from '../../src/base/result';
import type { Resource } from '../../src/base/types';
import { slotKindOf } from '../../src/creation/creation';
import { JobSlots, type Slot, type SlotKind } from '../../src/transport/jobSlots';
import { OtherClients } from '../../src/transport/sharing';
import { channelOf, LOST } from '../model/answers';
import { seeded } from '../model/random';
import { VirtualClock } from '../model/virtualClock';

const MINUTE = 60_000;

const job = (id: string): Resource => ({ id, object: 'generation', status: 'queued' });

/** @throws Error if there is none */
function slotOf(acquired: Result<Slot>): Slot {
	if (!acquired.ok) throw new Error(`no slot: ${acquired.failure.kind}`);
	return acquired.value;
}

interface Wanted {
	timeoutMs?: number;
	takesSlot?: SlotKind | false;
	since?: number;
}

/** The slots of a workspace in virtual time. */
function slotsOf(limit: number) {
	const clock = new VirtualClock();
	const others = new OtherClients();
	const jobs = { onList: () => {} };
	const slots = new JobSlots(limit, clock, seeded(1), others, () => jobs.onList());
	const wait = (fairnessKey = 'a', wanted: Wanted = {}) =>
		slots.acquire(
			channelOf(async () => LOST, fairnessKey),
			{ timeoutMs: 30 * MINUTE, takesSlot: 'media', ...wanted },
		);
	const acquire = async (wanted: Wanted = {}) => slotOf(await clock.run(wait('a', wanted)));
	let made = 0;
	/** One whose job was accepted, as further ones go out only then. */
	const occupy = async (id = `own_${(made += 1)}`): Promise<Slot> => {
		const slot = await acquire();
		slot.accepted(job(id));
		return slot;
	};
	/** What a list shows that was requested now. */
	const shows = (...ids: string[]) => others.listed(ids, clock.monotonic());
	/** What a list shows that has no running job. */
	const showsIdle = (...ids: string[]) => others.listed([], clock.monotonic(), ids);
	return { clock, jobs, wait, acquire, occupy, shows, showsIdle };
}

/** Whether a promise has settled by now. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
	let isSettled = false;
	void promise.then(() => {
		isSettled = true;
	});
	await new Promise((resolve) => setImmediate(resolve));
	return isSettled;
}

describe('slots', () => {
	test('never more than the limit at a time, and fairness keys take turns', async () => {
		const { occupy, wait } = slotsOf(2);
		const held = [await occupy(), await occupy()];
		const batch = [wait(), wait()];
		const single = wait('b');
		expect(await hasSettled(batch[0] as Promise<unknown>)).toBe(false);
		held[0]?.release();
		expect(await hasSettled(batch[0] as Promise<unknown>)).toBe(true);
		held[1]?.release();
		slotOf((await batch[0]) as never).accepted(job('gen_1'));
		expect(await hasSettled(single)).toBe(true);
		expect(await hasSettled(batch[1] as Promise<unknown>)).toBe(false);
	});

	test('a creation that hangs holds its slot for a minute, and its job takes one once it is known', async () => {
		const { clock, acquire, wait } = slotsOf(1);
		const hanging = await acquire();
		const began = clock.monotonic();
		slotOf(await clock.run(wait())).release();
		expect(clock.monotonic() - began).toBe(MINUTE);
		hanging.accepted(job('gen_1'));
		expect(await hasSettled(wait())).toBe(false);
	});

	test('a slot that is given back twice is free once', async () => {
		const { occupy, wait } = slotsOf(2);
		const [held] = [await occupy(), await occupy()];
		held?.release();
		held?.release();
		expect(await hasSettled(wait())).toBe(true);
		expect(await hasSettled(wait())).toBe(false);
	});

	test('a job that holds a slot already needs no second one', async () => {
		const { acquire, wait } = slotsOf(2);
		(await acquire()).accepted(job('gen_1'));
		(await acquire()).accepted(job('gen_1'));
		expect(await hasSettled(wait())).toBe(true);
		expect(await hasSettled(wait())).toBe(false);
	});
});

test('an agent run that is carried out has a slot of its own kind, one that is only planned none', async () => {
	const slotOfOperation = (name: string, body: object) => {
		const spec = operations.find(({ value }) => value === name)!.spec;
		return slotKindOf({ spec, request: { ...spec.endpoint, body } as never });
	};
	expect(slotOfOperation('create', { auto_approve: true })).toBe('agent');
	expect(slotOfOperation('create', {})).toBeUndefined();
	expect(slotOfOperation('approve', { max_credits: 5 })).toBe('agent');
	expect(slotOfOperation('review', { decision: 'assemble' })).toBeUndefined();
	// The service carries out one at a time. Specification: Limits.
	const { acquire, wait } = slotsOf(5);
	await acquire();
	const first = await acquire({ takesSlot: 'agent' });
	const second = wait('a', { takesSlot: 'agent' });
	expect(await hasSettled(second)).toBe(false);
	first.release();
	expect(await hasSettled(second)).toBe(true);
});

test('creations that take no slot are not held up by full slots; as many requests are under way as there are slots', async () => {
	const { acquire, wait } = slotsOf(2);
	for (const id of ['gen_1', 'gen_2']) (await acquire()).accepted(job(id));
	const first = await acquire({ takesSlot: false });
	const second = await acquire({ takesSlot: false });
	const third = wait('a', { takesSlot: false });
	expect(await hasSettled(third)).toBe(false);
	first.accepted({ id: 'sp_1', object: 'speech_generation', status: 'queued' });
	expect(await hasSettled(third)).toBe(true);
	const fourth = wait('a', { takesSlot: false });
	second.refused();
	expect(await hasSettled(fourth)).toBe(true);
});

test('a fraction as a limit is rounded down', async () => {
	const { occupy, wait } = slotsOf(2.5);
	await occupy();
	await occupy();
	expect(await hasSettled(wait())).toBe(false);
});

test('a job that a list shows with an unknown word, such as canceled, holds no slot', async () => {
	const { occupy, wait, showsIdle } = slotsOf(1);
	await occupy('gen_1');
	const waiting = wait();
	expect(await hasSettled(waiting)).toBe(false);
	showsIdle('gen_1');
	expect(await hasSettled(waiting)).toBe(true);
});

describe('jobs that run on unattended', () => {
	test('keep their slots until a list that was requested later shows that they have ended', async () => {
		const { clock, occupy, wait, shows } = slotsOf(2);
		const [first, second] = [await occupy('gen_1'), await occupy('gen_2')];
		first.abandon();
		shows();
		await clock.pass(1);
		second.abandon();
		const waiting = [wait(), wait()];
		shows('gen_1', 'gen_2');
		expect(await hasSettled(waiting[0] as Promise<unknown>)).toBe(false);
		await clock.pass(1);
		shows('gen_2');
		expect(await hasSettled(waiting[0] as Promise<unknown>)).toBe(true);
		expect(await hasSettled(waiting[1] as Promise<unknown>)).toBe(false);
	});

	test('do not hang the others where lists show them as running for ever, once creations are accepted', async () => {
		const { clock, occupy, wait, shows, jobs } = slotsOf(2);
		jobs.onList = () => shows('gen_1', 'gen_2');
		for (const id of ['gen_1', 'gen_2']) (await occupy(id)).abandon();
		const began = clock.monotonic();
		slotOf(await clock.run(wait())).accepted(job('gen_3'));
		slotOf(await clock.run(wait())).accepted(job('gen_4'));
		expect(clock.monotonic() - began).toBeLessThanOrEqual(1.3 * MINUTE);
	});

	test('do not hang the others where no list comes: after a minute they do not count', async () => {
		const { clock, occupy, wait } = slotsOf(2);
		for (const id of ['gen_1', 'gen_2']) (await occupy(id)).abandon();
		await clock.pass(10 * MINUTE);
		const began = clock.monotonic();
		slotOf(await clock.run(wait())).refused();
		expect(clock.monotonic() - began).toBeLessThanOrEqual(MINUTE);
		// They ran on after all: then one a minute is tried.
		slotOf(await clock.run(wait()));
		expect(clock.monotonic() - began).toBeLessThanOrEqual(2.3 * MINUTE);
	});
});

describe('where others use the workspace', () => {
	test('a creation waits while own jobs and those of the newest list are as many as the slots', async () => {
		const { wait, acquire, shows } = slotsOf(3);
		shows('x1', 'x2');
		(await acquire()).accepted(job('gen_1'));
		const waiting = wait();
		expect(await hasSettled(waiting)).toBe(false);
		shows('gen_1', 'x1');
		expect(await hasSettled(waiting)).toBe(true);
	});

	test('one creation is tried whatever the lists show, half as often each time', async () => {
		const { clock, wait, shows, jobs } = slotsOf(5);
		jobs.onList = () => shows('x1', 'x2', 'x3', 'x4', 'x5');
		shows('x1', 'x2', 'x3', 'x4', 'x5');
		const tried: number[] = [];
		const began = clock.monotonic();
		const item = async () => {
			while (tried.length < 7) {
				const slot = await wait();
				if (!slot.ok) return;
				tried.push(clock.monotonic() - began);
				slot.value.refused();
			}
		};
		await clock.run(Promise.all([item(), item(), item()]));
		const gaps = tried.slice(1).map((at, index) => at - (tried[index] ?? 0));
		for (const [index, gap] of gaps.entries()) {
			const expected = MINUTE * Math.min(2 ** (index + 1), 16);
			expect(gap).toBeGreaterThanOrEqual(0.75 * expected);
			expect(gap).toBeLessThanOrEqual(1.25 * expected + 1_000);
		}
	});

	test('we use half of the slots, rounded up, until no list of the last minute has shown others', async () => {
		const { clock, occupy, wait, shows } = slotsOf(5);
		shows('x1');
		for (let each = 0; each < 3; each += 1) await occupy();
		shows();
		const waiting = wait();
		expect(await hasSettled(waiting)).toBe(false);
		const began = clock.monotonic();
		await clock.run(waiting);
		// The first probe may go out after 45 s.
		expect(clock.monotonic() - began).toBeGreaterThanOrEqual(0.75 * MINUTE);
		expect(clock.monotonic() - began).toBeLessThanOrEqual(MINUTE + 1_000);
	});

	test('five jobs that lists show as running for ever end to count once creations are accepted all the same', async () => {
		const { clock, wait, shows, jobs } = slotsOf(5);
		const dead = ['x1', 'x2', 'x3', 'x4', 'x5'];
		const made: string[] = [];
		jobs.onList = () => shows(...made, ...dead);
		jobs.onList();
		const began = clock.monotonic();
		for (let each = 0; each < 5; each += 1) {
			const slot = slotOf(await clock.run(wait()));
			made.unshift(`own_${each}`);
			slot.accepted(job(`own_${each}`));
			jobs.onList();
		}
		expect(clock.monotonic() - began).toBeLessThanOrEqual(2.5 * MINUTE);
	});

	test('a list that is not answered any more is forgotten after a minute', async () => {
		const { clock, wait, shows } = slotsOf(5);
		shows('x1', 'x2', 'x3', 'x4', 'x5');
		slotOf(await wait()).refused();
		const began = clock.monotonic();
		for (let each = 0; each < 3; each += 1)
			slotOf(await clock.run(wait())).accepted(job(`own_${each}`));
		expect(clock.monotonic() - began).toBeLessThanOrEqual(2.6 * MINUTE);
	});

	test('a Retry-After is kept: nothing goes out before, then one, and the others once that is accepted', async () => {
		const { clock, acquire, wait, shows } = slotsOf(4);
		(await acquire()).accepted(job('gen_1'));
		(await acquire()).refused(7_000);
		const waiting = wait();
		await clock.pass(1_000);
		shows('gen_1', 'x1');
		await clock.pass(5_999);
		expect(await hasSettled(waiting)).toBe(false);
		await clock.pass(2);
		expect(await hasSettled(waiting)).toBe(true);
	});
});

describe('a wait for a slot', () => {
	/** One item after the other of two slots that another client always has; what is tried is refused. */
	function busy() {
		const set = slotsOf(2);
		set.jobs.onList = () => set.shows('x1', 'x2');
		set.shows('x1', 'x2');
		const since = set.clock.monotonic();
		const untilGivenUp = async (timeoutMs: number) => {
			for (;;) {
				const acquired = await set.wait('a', { timeoutMs, since });
				if (!acquired.ok) return acquired;
				acquired.value.refused();
			}
		};
		return { ...set, since, untilGivenUp };
	}

	test.each([5, 30, 120])(
		'that others keep busy ends after its timeout of %i minutes, and says who does',
		async (minutes) => {
			const { clock, since, untilGivenUp } = busy();
			const items = [untilGivenUp(minutes * MINUTE), untilGivenUp(minutes * MINUTE)];
			for (const ended of await clock.run(Promise.all(items)))
				expect(ended).toMatchObject({ ok: false, failure: { kind: 'noSlot', others: 2 } });
			expect(clock.monotonic() - since).toBe(minutes * MINUTE);
		},
	);

	test('begins anew with each accepted job of this process', async () => {
		const { clock, since, untilGivenUp, acquire } = busy();
		const slot = await clock.run(acquire());
		clock.after(since + 20 * MINUTE - clock.monotonic(), () => slot.accepted(job('gen_1')));
		await clock.run(untilGivenUp(30 * MINUTE));
		expect(clock.monotonic() - since).toBe(50 * MINUTE);
	});

	test('lasts to its own timeout while our own jobs use all slots', async () => {
		const { clock, wait, acquire } = slotsOf(1);
		(await acquire()).accepted(job('gen_1'));
		const ended = await clock.run(wait('a', { timeoutMs: 60 * MINUTE }));
		expect(ended).toMatchObject({ failure: { kind: 'noSlot', waitedMs: 60 * MINUTE, others: 0 } });
	});
});
