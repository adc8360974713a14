/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { JobSlots, type Slot, type SlotKind } from '../../src/service/jobSlots';
import { OtherClients } from '../../src/service/otherClients';
import type { Result } from '../../src/base/result';
import type { Resource } from '../../src/base/types';
import { channelOf } from '../model/answers';
import { seeded } from '../model/random';
import { VirtualClock } from '../model/virtualClock';

const HALF_HOUR = 1_800_000;

/** What waits for a slot, and sends nothing. */
const channel = (fairnessKey = 'a', signal?: AbortSignal) =>
	channelOf(async () => ({ noResponse: 'nothing is sent here' }), fairnessKey, signal);

export const job = (id: string): Resource => ({ id, object: 'generation', status: 'queued' });

/** The slots of a workspace in virtual time. */
export function slotsOf(limit: number) {
	const clock = new VirtualClock();
	const others = new OtherClients();
	/** How often a list was requested, and what each one calls. */
	const jobs = { lists: 0, onList: () => {} };
	const slots = new JobSlots(limit, clock, seeded(1), others, () => {
		jobs.lists += 1;
		jobs.onList();
	});
	const wait = (
		fairnessKey = 'a',
		{ signal, timeoutMs = HALF_HOUR, takesSlot = 'media', since }: Wanted = {},
	) => slots.acquire(channel(fairnessKey, signal), { timeoutMs, takesSlot, since });
	/** @throws Error if there is none */
	const acquire = async (wanted: Wanted = {}): Promise<Slot> =>
		slotOf(await clock.run(wait('a', wanted)));
	let made = 0;
	/** One whose job was accepted, as further ones go out only then. */
	const occupy = async (id = `own_${(made += 1)}`): Promise<Slot> => {
		const slot = await acquire();
		slot.accepted(job(id));
		return slot;
	};
	/** What a list shows that was requested now. */
	const shows = (...ids: string[]) => others.listed(ids, clock.monotonic());
	return { clock, others, jobs, slots, wait, acquire, occupy, shows };
}

interface Wanted {
	signal?: AbortSignal;
	timeoutMs?: number;
	takesSlot?: SlotKind | false;
	since?: number;
}

/** @throws Error if there is none */
export function slotOf(acquired: Result<Slot>): Slot {
	if (!acquired.ok) throw new Error(`no slot: ${acquired.failure.kind}`);
	return acquired.value;
}

/** Whether a promise has settled by now. */
export async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
	const waiting = Symbol('waiting');
	await new Promise((resolve) => setImmediate(resolve));
	return (await Promise.race([promise, Promise.resolve(waiting)])) !== waiting;
}

/** A job is accepted, and nobody waits for it. */
export function leave(slot: Slot, accepted: Resource): void {
	slot.accepted(accepted);
	slot.leave();
}
