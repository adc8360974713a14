/**
 * All retry policies in one table: what is retried, the delays, the caps, and when each gives up.
 * The code reads its figures here, and `docs/retries.md` is written from here. Delays are in ms;
 * attempts include the first.
 */
export const POLICIES = {
	/**
	 * A creation refused with 429; probed by `limits/adaptiveConcurrency.ts`, ended by
	 * `operations/slotWaitLimit.ts`.
	 */
	concurrency: {
		/** Eight round trips: time for a list and a creation each. Row of the bench: others that read for 5 minutes. */
		initialProbeMs: 2_000,
		/** The longest Retry-After that is obeyed. */
		maxProbeMs: 120_000,
		/**
		 * Between two lists while a creation waits for a slot that other clients use. Two processes with 20 jobs each, d from
		 * 6 to 20 ± 20 %: 1.303 of the bound at 5 s, 1.276 at 8 s, 1.286 at 10 s and 1.307 at 15 s; with d = 8, 3.9 % of the
		 * requests are refused at 8 s and 3.1 % at 10 s.
		 */
		listIntervalMs: 10_000,
		/**
		 * Jobs of other clients that a list shows running unchanged for this time may no longer occupy
		 * slots.
		 */
		doubtMs: 300_000,
		/** Around each delay, as a part of it, so that processes refused together do not return together. */
		jitter: 0.25,
		/** Time without any job of ours accepted; Wait Timeout if that is shorter. */
		giveUpAfterMs: 1_800_000,
		/** After this time and this many refusals, jobs of other clients must be seen in the list. */
		unexplainedMs: 90_000,
		unexplainedRefusals: 3,
	},

	/** The request rate where others use it too; decided in `limits/adaptiveRate.ts` and `limits/sharedUse.ts`. */
	rate: {
		/** Time in which the learned limit grows back after a 429. Row of the bench: others that read for 5 minutes. */
		recoveryMs: 300_000,
		/** The learned limit after a 429, as a fraction of the requests we had sent: leaves some to other clients. */
		backoffFactor: 0.9,
		/** The learned limit never falls below this: a creation, a list, and a retry of each. */
		minRequests: 4,
		/**
		 * Requests at once, as a fraction of those of a minute: of the limit, and after a 429 of those that the minute
		 * before it held, at least `minRequests`. Row of the bench: 429s alone, token bucket of 30.
		 */
		burstFactor: 0.5,
		/** How long a smaller burst is remembered after the last 429: how a service counts seldom changes. */
		burstMemoryMs: 3_600_000,
		/** How much faster than evenly requests beyond a burst go, until the service has refused some. */
		paceFactor: 2,
		/** Our part of rate and slots while others use them: their number is unknown, and one is the fewest. */
		ourShare: 0.5,
		/**
		 * A little more than the service's minute, because its clock and ours do not run in step. After this time nothing
		 * that others did counts any more, and nothing that a list has shown of them.
		 */
		windowMs: 60_250,
	},

	/** A creation refused with 402 under Wait for Credits; decided in `operations/credits.ts`. */
	credits: {
		/** All items of a workspace share one attempt in this time. */
		probeMs: 20_000,
	},

	/**
	 * Reading a job until it has ended; decided in `jobs/pollSchedule.ts`, `jobs/pollTimes.ts` and
	 * `jobs/sweep.ts`.
	 */
	polling: {
		/** Between two polls of a job. The shortest: row of the bench, one job of 8 s. */
		minIntervalMs: 3_000,
		/** The longest: of five jobs nothing is known of, polls then take a third of the default rate. */
		maxIntervalMs: 15_000,
		/** How late an event may be before the job is polled. Row of the bench: events that come late. */
		eventGraceMs: 5_000,
		/** The largest share of the request rate that polls by age may use, where nothing is known of durations. */
		maxRateShare: 0.5,
		/**
		 * How long slots may stand idle in all, in slot-ms, until a list is worth its request. Rows of the bench: at 900 it
		 * is 2.49 requests a job for N = 100, d = 30 ± 20 %, and 3.97 for N = 500, d = 120 ± 20 %.
		 */
		requestPriceMs: 900,
		/** Between two polls of a job of unknown kind, as a part of its age. */
		unknownShare: 0.1,
		/**
		 * A job of known kind is polled before it can be expected to end, in case the service got faster: in steps of this
		 * part of the age at which the earliest ended.
		 */
		earlyShare: 0.25,
		/** How much longer than all before a job that is overdue may take, as a part of its age. Row of the bench: list, 100 × 30 s ± 20 %. */
		overdueShare: 0.05,
		/** How many jobs of a kind are remembered, once one duration no longer explains all. Rows of the bench: list, ± 20 %. */
		memoryJobs: 30,
		/** Between two sweeps: the time in which the default rate allows one request. */
		minSweepIntervalMs: 1_000,
		/** Between two sweeps without a response: a run goes on within a minute of the service's return. */
		maxBackoffMs: 60_000,
		/** Time limit of the final poll that a deadline calls for: half of that of a response. */
		finalPollMs: 60_000,
		/**
		 * Reads of a job that may end with 404 or a local failure before the wait fails: a new job may
		 * be unknown to a part of the service for a moment, and n8n may be unable to send for a moment.
		 */
		maxFailedReads: 3,
		/**
		 * After this many list requests in a row without a response, jobs are read one by one instead.
		 */
		maxFailedLists: 2,
		/** Jobs read one by one in a single sweep, the default number of slots; the others follow in the next. */
		maxReadsPerSweep: 5,
	},
} as const;

type Figures<T> = { readonly [Name in keyof T]: T[Name] extends number ? number : T[Name] };

/** The part of the table that adapts to the service. The simulation replaces figures of it, to show what each is good for. */
export interface Tuning {
	concurrency: Figures<(typeof POLICIES)['concurrency']>;
	polling: Figures<(typeof POLICIES)['polling']>;
	rate: Figures<(typeof POLICIES)['rate']>;
}
