import type { TerminalStatuses } from './jobState';
import type { Result } from '../base/result';
import type { Channel, Resource } from '../base/types';

/** How a wait has ended: the job, and whether it had already ended at the first poll. */
export interface WaitResult {
	job: Resource;
	endedAtFirstPoll: boolean;
}

/** A caller that waits for a job to end. All times are in ms on the monotonic clock. */
export interface Waiter {
	job: Resource;
	/** What the poll schedule learns durations by. */
	kind: string;
	channel: Channel;
	/** Where the job is read, if not at the endpoint of its kind. */
	path: string | undefined;
	startedAt: number;
	deadline: number;
	/** When it is polled at the latest. */
	nextPollAt: number;
	/** When it is polled by itself, if it is not listed with others before; set by `PollTimes`. */
	dueAt: number;
	/** When the job was last asked for, with or without a response. */
	lastReadAt: number;
	/** Time limit of the final poll that a deadline calls for; `undefined` before the deadline. */
	finalPollBy: number | undefined;
	/**
	 * Whether the job may be much older than this wait, so that its end says nothing about durations.
	 */
	isOld: boolean;
	terminalStatuses: TerminalStatuses | undefined;
	/**
	 * Time from the start of the wait to the last poll that saw the job running, in ms; 0 before the
	 * first.
	 */
	runningAge: number;
	/** Whether the end of the job was pushed by an event, not polled. */
	pushed: boolean;
	/** Reads in which the service did not know the job, or n8n could not send. */
	failedReads: number;
	settle: (result: Result<WaitResult>) => void;
}

/** The service may send anything here, such as an object that cannot be converted to a string. */
const nameOf = (value: unknown): string => (typeof value === 'string' ? value : typeof value);

/** Jobs of one kind usually take about the same time. Thousands may wait for one kind, and share its name. */
export class Kinds {
	private last = '';

	of({ object, model }: Resource): string {
		const kind = `${nameOf(object)} ${nameOf(model)}`;
		if (kind !== this.last) this.last = kind;
		return this.last;
	}
}
