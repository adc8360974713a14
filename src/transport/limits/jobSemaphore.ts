import { Alarm } from '../base/wakeUp';
import { Room } from './adaptiveConcurrency';
import { Turns } from '../base/waitQueue';
import type { Clock, Line, Random, Resource } from '../base/types';

/** A place among the concurrent jobs of the workspace. Giving it back twice does nothing. */
export interface Slot {
	free(): void;
	/** The service has taken the job. */
	accepted(): void;
	/** The service has refused the job (429): the place is given back, and others seem to use the workspace. */
	refused(hintMs?: number): void;
	/** The job goes on, but nobody waits for it: it holds its place until somebody else needs one and finds that it has ended. */
	leave(job: Resource): void;
}

/** Waits until a job no longer holds its place. `false` when the line was cancelled first. */
export type AwaitEnd = (line: Line, job: Resource) => Promise<boolean>;

interface Left {
	job: Resource;
	slot: Slot;
	isWatched: boolean;
}

/**
 * The places for concurrent generations of a workspace (specification: Limits, Concurrent media jobs), held from the
 * POST until the job has ended, so that the service never has to refuse one of ours. Where others use the workspace too,
 * `Room` says how many of the places are ours at the moment.
 */
export class Slots {
	private taken = 0;

	private readonly turns = new Turns<Slot>();

	/** Jobs that hold a place although nobody waits for them. */
	private readonly left = new Map<string, Left>();

	/** Ends the looks at these jobs when nobody needs a place any more. */
	private lookout = new AbortController();

	private readonly room: Room;

	/** Lets the slots look again when the room may be tried. */
	private readonly alarm: Alarm;

	constructor(
		public limit: number,
		clock: Clock,
		random: Random,
		private readonly awaitEnd: AwaitEnd,
	) {
		this.room = new Room(clock, random);
		this.alarm = new Alarm(clock, () => this.pump());
	}

	/** When the service last took a job of ours, on the monotonic clock; `-Infinity` for never. */
	get lastAccepted(): number {
		return this.room.lastAccepted;
	}

	/** @returns nothing when the line was cancelled */
	async take(line: Line): Promise<Slot | undefined> {
		const turn = this.turns.wait(line);
		this.pump();
		const slot = await turn;
		if (this.turns.size === 0) this.stopWatching();
		return slot;
	}

	private occupy(): Slot {
		this.taken += 1;
		let held = true;
		let leftAs: string | undefined;
		const free = () => {
			if (!held) return;
			held = false;
			this.taken -= 1;
			if (leftAs !== undefined) this.left.delete(leftAs);
			this.pump();
		};
		const slot: Slot = {
			free,
			accepted: () => {
				this.room.accepted(this.taken);
				this.pump();
			},
			refused: (hintMs) => {
				this.room.refused(this.taken - 1, hintMs);
				free();
			},
			leave: (job) => {
				if (!held || leftAs !== undefined) return;
				// The same job again, by its idempotency key: one job takes one place.
				if (this.left.has(job.id)) return free();
				leftAs = job.id;
				this.left.set(job.id, { job, slot, isWatched: false });
				this.pump();
			},
		};
		return slot;
	}

	private pump(): void {
		while (this.turns.size > 0) {
			const isFree = this.taken < this.limit;
			if (!isFree || !this.room.admits(this.taken)) {
				if (isFree) this.alarm.set(this.room.probeAt);
				this.watchLeft();
				return;
			}
			this.turns.give(this.occupy());
		}
	}

	/** All of them at once, on behalf of one who waits: a single list answers for all, and any of them may end first. */
	private watchLeft(): void {
		const line = this.turns.next;
		if (!line) return;
		for (const left of this.left.values()) if (!left.isWatched) void this.watch(left, line);
	}

	private async watch(left: Left, line: Line): Promise<void> {
		const { signal } = this.lookout;
		left.isWatched = true;
		const own = { ...line, signal: line.signal ? AbortSignal.any([line.signal, signal]) : signal };
		// Whatever goes wrong with looking, the place counts as free: if it is not, the service says so, and `Room` learns it.
		const isOver = await this.awaitEnd(own, left.job).catch(() => true);
		left.isWatched = false;
		if (isOver) left.slot.free();
		else this.pump();
	}

	private stopWatching(): void {
		this.lookout.abort();
		this.lookout = new AbortController();
	}
}
