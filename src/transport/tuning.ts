/** What limits are counted by: a minute of the service (specification: Limits, Request rate). */
export const MINUTE_MS = 60_000;

/**
 * The figures that were tuned: each trades time for requests, and `npm run bench` shows what it costs.
 * All other times are limits of the service, bounds, or promises of docs/limits.md.
 *
 * N: jobs of a batch. d: seconds that a job takes. The bound: the least time that slots and request
 * rate allow (docs/performance.md).
 */
export const TUNING = {
	/**
	 * How long the slots of jobs that have probably ended may have stood idle, for each running job,
	 * when a list goes out. With 250, N = 500, d = 30 ± 20 % takes 0.5 % less time and 5 % more requests.
	 */
	idleMs: 300,
	/**
	 * Ends of a kind that are remembered, six rounds of five jobs. Twenty miss the longest: N = 100,
	 * d = 30 ± 20 % then takes 0.3 % longer.
	 */
	knownEnds: 30,
	/**
	 * Shortest time between two looks at a job of which nothing is known, and how late its event may be.
	 * With 2 s, jobs of 5 s take more requests than a minute holds beside their creations: 1.4 times the
	 * bound instead of 1.26.
	 */
	minLookMs: 3_000,
	/**
	 * Longest time between two looks, and so until a service that has become faster is noticed. With 15 s,
	 * d = 120 takes 0.4 requests a job more.
	 */
	maxLookMs: 20_000,
	/**
	 * Time between two looks at a job of which nothing is known as a part of its age, and for how much
	 * longer than all before one that is overdue may take. Half of it changes no figure by more than
	 * 0.2 %, and doubles the requests for a job nobody knows.
	 */
	lookShare: 0.1,
	/** Between two lists while a creation waits for a slot that others use, ± 25 % at random. */
	listWhileWaitingMs: 10_000,
	// What follows only counts beside other clients. docs/performance.md says what each line buys.
	/** The part of slots and requests that a process takes while lists show others. */
	partBesideOthers: 1 / 2,
	/** What a refused read leaves of the requests a minute. */
	partAfterRefusal: 1 / 2,
	/**
	 * How many times as many they are again each minute. With 1.7, one item of 8,500 is lost beside a foreign
	 * client.
	 */
	growthPerMinute: 1.5,
	/** The part of our requests that lists may take, for each job of ours. */
	listShareOfJob: 0.18,
	/**
	 * Who has fewer lists as if it had these.
	 * With 1, the slowest of four processes takes 1.43 times as long as the fastest instead of 1.33.
	 */
	leastJobsToList: 1.5,
} as const;

/** A time with a quarter more or less, so that what happened to several processes at once does not again. */
export const scattered = (ms: number, random: () => number): number => ms * (0.75 + random() / 2);
