import { Alarm } from './alarm';
import { Room } from './room';
import { Turns } from './turns';
import type { Clock, Line, Random, Resource } from './types';

/** A place among the concurrent jobs of the workspace. Giving it back twice does nothing. */
export interface Slot {
	free(): void;
	/** The service has taken the job. */
	accepted(): void;
	/** The service has refused the job (429): the place is given back, and others seem to use the workspace. */
	refused(hintMs?: number): void;
	/** The job goes on, but nobody waits for it: its place may be reclaimed by looking whether it has ended. */
	leave(job: Resource): void;
}

/** What a line gets: a place, or a job to look at first because all places are taken, or nothing (cancelled). */
export type Turn = { slot: Slot } | { look: Resource; slot: Slot } | undefined;

/**
 * The places for concurrent generations of a workspace (specification: Limits, Concurrent media jobs), held from the
 * POST until the job has ended, so that the service never has to refuse one of ours. Where others use the workspace too,
 * `Room` says how many of the places are ours at the moment.
 */
export class Slots {
	private taken = 0;

	private readonly turns = new Turns<NonNullable<Turn>>();

	/** Jobs that hold a place although nobody waits for them, oldest first. */
	private readonly left = new Map<string, { job: Resource; slot: Slot }>();

	private readonly room: Room;

	/** Lets the slots look again when the room may be tried. */
	private readonly alarm: Alarm;

	constructor(
		public limit: number,
		clock: Clock,
		random: Random,
	) {
		this.room = new Room(clock, random);
		this.alarm = new Alarm(clock, () => this.pump());
	}

	/** When the service last took a job of ours, in milliseconds since the epoch; 0 for never. */
	get lastAccepted(): number {
		return this.room.lastAccepted;
	}

	async take(line: Line): Promise<Turn> {
		const turn = this.turns.wait(line);
		this.pump();
		return await turn;
	}

	private occupy(): Slot {
		this.taken += 1;
		let held = true;
		const free = () => {
			if (!held) return;
			held = false;
			this.taken -= 1;
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
				if (!held) return;
				// The same job again, by its idempotency key: one job takes one place.
				const known = this.left.get(job.id);
				if (known && known.slot !== slot) return free();
				this.left.set(job.id, { job, slot });
				this.pump();
			},
		};
		return slot;
	}

	private reclaim(): Turn {
		for (const [id, { job, slot }] of this.left) {
			this.left.delete(id);
			return { look: job, slot };
		}
		return undefined;
	}

	private pump(): void {
		while (this.turns.size > 0) {
			const isFree = this.taken < this.limit;
			const turn =
				isFree && this.room.admits(this.taken) ? { slot: this.occupy() } : this.reclaim();
			if (!turn) {
				if (isFree) this.alarm.set(this.room.probeAt);
				return;
			}
			this.turns.give(turn);
		}
	}
}
