import type { TerminalStatuses } from './jobState';
import type { Result } from '../base/result';
import type { Channel, Resource } from '../base/types';

/** How a wait has ended: the job, and whether it had ended already at the first look. */
export interface WaitResult {
	job: Resource;
	endedAtFirstPoll: boolean;
}

/** One who waits for the end of a job. */
export interface Waiter {
	job: Resource;
	kind: string;
	channel: Channel;
	/** Where the job is read, if not where its kind is. */
	path: string | undefined;
	/** On the monotonic clock, as are the next four. */
	since: number;
	deadline: number;
	nextPollAt: number;
	/** When it was last asked for, answered or not. */
	askedAt: number;
	/** Until when a last look may take that the deadline has called for; `undefined` before the deadline. */
	lastLookBy: number | undefined;
	/** Whether the job may be much older than this wait, so that its end says nothing about how long such jobs take. */
	isOld: boolean;
	terminalStatuses: TerminalStatuses | undefined;
	/** Age at the look that last saw it running, in milliseconds; 0 before the first look. */
	running: number;
	/** Whether its end was told. */
	pushed: boolean;
	/** How often the service did not know it. */
	unknown: number;
	settle: (result: Result<WaitResult>) => void;
}

/** What the service sends may be anything, such as an object that cannot be made a text. */
const nameIn = (value: unknown): string => (typeof value === 'string' ? value : typeof value);

/** Jobs of one kind usually take about the same time. */
export const kindOf = ({ object, model }: Resource): string => `${nameIn(object)} ${nameIn(model)}`;
