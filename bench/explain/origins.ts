import type { Tuning } from '../../src/transport/limits/policies';
import type { NOT_ADAPTIVE } from './constants';

type Adaptive = Exclude<
	{ [Part in keyof Tuning]: keyof Tuning[Part] }[keyof Tuning],
	(typeof NOT_ADAPTIVE)[number]
>;

/**
 * Where each figure comes from: a derivation, or the row of the bench that chose it; and where no row needs it, which test
 * shows what it protects from. A new figure without an origin does not compile.
 */
export const ORIGINS: Record<Adaptive, string> = {
	// rate
	recoveryMs:
		'Row: others that read for 5 minutes. About as long as others are busy once they are.',
	backoffFactor:
		'Derived: a tenth below what was refused, so that the next 429 comes later than the recovery allows. As in TCP CUBIC and AIMD rate limiters (0.7 to 0.9).',
	minRequests:
		'Derived: one creation, one list and a retry of each must fit into a minute, or nothing goes on at all. Row: 20 reads at once, 3 a minute.',
	burstFactor: 'Row: bucket of 30, 429s.',
	burstMemoryMs:
		'Row: 60 reads at once every 45 min: a workflow that runs every hour need not be refused again each time. A service that counts like a smaller bucket does so for good; an hour bounds the error if it does not.',
	paceFactor:
		'Rows: 60 reads at once: twice as long if halved; the same with a bucket of 30: one refusal.',
	ourShare:
		'Derived: with others whose number nobody knows there are two of us at least, so a half; if that is too much, 429s correct it. Row: three processes.',
	windowMs:
		"Derived: the service's minute and a quarter of a second, one round trip, by which its clock may run behind. What others did before that no longer counts at the service.",
	// concurrency
	initialProbeMs:
		'Row: others that read for 5 minutes. Eight round trips: a list and a creation each, before anybody tries again.',
	maxProbeMs: 'Derived: the longest Retry-After that is obeyed.',
	doubtMs:
		'Row: others that hold two slots for good. Longer than the slowest usual job takes, so that nobody who waits for one is disturbed.',
	jitter:
		'Derived: those refused together must not return together: a quarter either way spreads the first probe over 1 s, four round trips. Row: two processes, two slots where five are configured.',
	listIntervalMs:
		'Rows: two processes with 20 jobs each, d = 6, 7, 8, 9, 10, 12, 16 and 20 ± 20 %, 60 seeds of each: 1.303 of the bound at 5 s, 1.276 at 8 s, 1.286 at 10 s, 1.307 at 15 s. With d = 8, 3.9 % of the requests are refused at 8 s and 3.1 % at 10 s, where at most 4 % may be.',
	// polling
	minIntervalMs:
		'Row: one job of 8 s. What a job of unknown length may wait at most that ends at once.',
	maxIntervalMs:
		'Derived: a quarter of a minute; with five jobs that nobody knows anything of that is a third of the rate.',
	eventGraceMs: 'Row: events that come late.',
	maxRateShare: 'Derived: as many requests are left to creations as polls may take.',
	requestPriceMs:
		'Rows: list, 100 × 30 s ± 20 % and 100 × 120 s ± 20 %: time against requests; at most 2.5 requests a job.',
	unknownShare:
		'Derived: the end of a job of unknown kind is seen a tenth of its time late at most.',
	earlyShare:
		'Derived: three polls before the first end that is expected, so that a kind that got faster is noticed within a quarter of its old time. Row: jobs get three times as fast.',
	overdueShare: 'Row: list, 100 × 30 s ± 20 %.',
	memoryJobs:
		'Rows: list, ± 20 %: as many as show the shortest and the longest; fewer follow a change sooner.',
	minSweepIntervalMs: 'Derived: the time in which the default rate of 60 allows one request.',
	maxBackoffMs:
		'Row: no answer to reads for 15 to 25 min: how soon a run goes on against how often a service that is down is asked.',
	maxFailedLists: 'Row: lists get no answer.',
	maxReadsPerSweep:
		'Derived: the default number of slots, so that one sweep reads all jobs that run.',
};
