import type { Endings } from './job';
import type { Result } from './result';
import type { Line, Resource } from './types';

/** How a wait has ended: the job, and whether it had ended already at the first look. */
export interface Ended {
	job: Resource;
	atFirstLook: boolean;
}

/** One who waits for the end of a job. */
export interface Waiter {
	job: Resource;
	kind: string;
	line: Line;
	/** Where the job is read, if not where its kind is. */
	path: string | undefined;
	/** Milliseconds since the epoch, as are the next two. */
	since: number;
	deadline: number;
	nextLook: number;
	endings: Endings | undefined;
	/** Age at the look that last saw it running, in milliseconds; 0 before the first look. */
	running: number;
	/** Whether its end was told. */
	told: boolean;
	/** How often the service did not know it. */
	unknown: number;
	settle: (result: Result<Ended>) => void;
}

/** Jobs of one kind usually take about the same time. */
export const kindOf = ({ object, model }: Resource): string => `${String(object)} ${String(model)}`;
