/**
 * The figures that were tuned: each trades time for requests, and `npm run bench` shows what it costs. All
 * other times in the code are limits of the service, bounds, or promises of docs/limits.md.
 *
 * N is the number of jobs of a batch, d the seconds that a job takes. The bound is the shortest time that
 * slots and request rate allow (docs/performance.md).
 */
export const TUNING = {
	/**
	 * A list goes out when the slots of jobs that have probably ended have been idle for this time, for each
	 * running job. With 250, N = 500, d = 30 ± 20 % takes 0.5 % less time and 5 % more requests.
	 */
	idleMs: 300,
	/**
	 * How many ends of one kind of jobs are remembered: six rounds of five jobs. With 20 the longest job is
	 * often forgotten, and N = 100, d = 30 ± 20 % takes 0.3 % longer.
	 */
	knownEnds: 30,
	/**
	 * The shortest time between two looks at a job of an unknown kind, and how long an expected event is
	 * waited for. With 2 s, jobs of 5 s need more requests than a minute has beside their creations, and take
	 * 1.4 times the bound instead of 1.26.
	 */
	minLookMs: 3_000,
	/**
	 * The longest time between two looks, after which it is noticed that a service has become faster. With 15
	 * s, d = 120 takes 0.4 requests per job more.
	 */
	maxLookMs: 20_000,
	/**
	 * The time between two looks at a job of an unknown kind, as a part of its age. Also the part by which a
	 * job may take longer than all before it. Half of it changes no figure by more than 0.2 %, and doubles
	 * the requests for a job of an unknown kind.
	 */
	lookShare: 0.1,
	/** The time between two lists while a creation waits for a slot that others use, ± 25 % at random. */
	listWhileWaitingMs: 10_000,
	// The following figures only count while others use the workspace. docs/performance.md says what each
	// rule buys.
	/** The part of the slots and of the requests that a process takes while lists show jobs of others. */
	partBesideOthers: 1 / 2,
	/**
	 * How long after the last list with jobs of others a list without any shows that they have gone. With a
	 * minute, two workers that start a second apart take 1.65 times the bound instead of 1.37; but the
	 * slowest of three processes takes 1.27 times as long as the fastest instead of 1.33, and of four 1.36
	 * instead of 1.41.
	 */
	goneMs: 8_000,
	/** The part of its requests per minute that a process keeps after a refused read. */
	partAfterRefusal: 1 / 2,
	/**
	 * How fast these requests grow again: by this factor each minute. With 1.7, one item of 8,500 is lost
	 * beside a foreign client.
	 */
	growthPerMinute: 1.5,
	/** The part of its requests that a process may use for lists, for each of its jobs. */
	listShareOfJob: 0.18,
	/**
	 * A process with fewer jobs lists as often as if it had this number. With 1, the slowest of four
	 * processes takes 1.43 times as long as the fastest instead of 1.33.
	 */
	leastJobsToList: 1.5,
} as const;

/**
 * A time with up to a quarter more or less at random. So processes that were refused together do not come
 * back together.
 */
export const scattered = (ms: number, random: () => number): number => ms * (0.75 + random() / 2);
