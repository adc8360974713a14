import { POLICIES } from '../../src/transport/limits/policies';

const percent = (share: number) => `${Math.round(share * 100)} %`;

const seconds = (ms: number): string => {
	const amount = ms < 60_000 ? [ms / 1_000, 's'] : ms < 3_600_000 ? [ms / 60_000, 'min'] : [];
	return amount.length > 0 ? amount.join(' ') : `${ms / 3_600_000} h`;
};

/** A window with its margin is not a round number of minutes. */
const inSeconds = (ms: number): string => `${ms / 1_000} s`;

const list = (statuses: readonly number[]): string => statuses.join(', ');

interface Backoff {
	maxAttempts: number;
	initialMs: number;
	maxMs: number;
}

const backoff = ({ initialMs, maxMs }: Backoff): string =>
	`at random up to ${seconds(initialMs)}, doubled up to ${seconds(maxMs)}`;

const attempts = ({ maxAttempts }: { maxAttempts: number }): string =>
	`after ${maxAttempts} attempts`;

type Row = [policy: string, retried: string, delay: string, end: string];

function rowsOf(policies: typeof POLICIES): Row[] {
	const { apiCall, concurrency, rate, credits, polling, transfer, download, upload } = policies;
	const hinted = `Retry-After, at most ${seconds(apiCall.maxRetryAfterMs)}, plus up to ${seconds(apiCall.retryAfterJitterMs)}`;

	const transferred = `${list(transfer.transientStatuses)}, from 500 on, no response, a stall (less than ${transfer.minBytes / 1024} KiB in ${seconds(transfer.stallMs)})`;

	const transferDelay = `${hinted}; otherwise at random up to ${seconds(transfer.initialMs)}, doubled`;

	return [
		[
			'API call: outcome unknown',
			`${list(apiCall.transientStatuses)}, no response, an unusable 2xx, and ${list(apiCall.busyStatuses)} after one of these; only GET, PATCH, DELETE, and POST with an idempotency key`,
			`${hinted}, but no less than without it: ${backoff(apiCall.transient)}; at least ${seconds(apiCall.minDelayMs)}`,
			attempts(apiCall.transient),
		],
		[
			'API call: rate limited',
			'429, whatever the method; meanwhile no request of the workspace is sent',
			`${hinted}; otherwise ${backoff(apiCall.rateLimited)}; at least ${seconds(apiCall.minDelayMs)}`,
			attempts(apiCall.rateLimited),
		],
		[
			'API call: unreachable',
			'no connection, whatever the method; a certificate or a request that fails in n8n is final',
			`${backoff(apiCall.unreachable)}; at least ${seconds(apiCall.minDelayMs)}`,
			attempts(apiCall.unreachable),
		],
		[
			'Concurrency (429)',
			'a creation refused with 429: its job slot is released, and it waits until a list shows a free one',
			`Retry-After, at most ${seconds(apiCall.maxRetryAfterMs)}; otherwise a list is read after ${seconds(concurrency.initialProbeMs)} and then every ${seconds(concurrency.listIntervalMs)}, and after ${inSeconds(rate.windowMs)} where none could be had; without a list one creation is tried after ${seconds(concurrency.initialProbeMs)}, doubled up to ${seconds(concurrency.maxProbeMs)}, each ± ${percent(concurrency.jitter)} at random, and where the jobs of others have not changed for ${seconds(concurrency.doubtMs)}`,
			`when no job was accepted for ${seconds(concurrency.giveUpAfterMs)} or Wait Timeout, whichever is shorter; after ${seconds(concurrency.unexplainedMs)} and ${concurrency.unexplainedRefusals} refusals if no job runs in the workspace`,
		],
		[
			'Request rate (429)',
			`a request that was refused although the last ${inSeconds(rate.windowMs)} held no more than the limit`,
			`the limit falls to ${percent(rate.backoffFactor)} of what was sent, at least ${rate.minRequests} a minute, and grows back within ${seconds(rate.recoveryMs)}; refusals of requests that were in flight together count once; others who were seen in the last ${inSeconds(rate.windowMs)} leave ${percent(rate.ourShare)} of it; at most ${percent(rate.burstFactor)} of it goes out at once and the rest at ${rate.paceFactor} times the even pace, and without others for ${seconds(rate.burstMemoryMs)} after a refusal at most ${percent(rate.burstFactor)} of what was sent and the rest at the even pace`,
			'never',
		],
		[
			'Credits (402)',
			'a creation refused with 402, if When Credits Run Out says so; otherwise the run stops or goes on with error items',
			`one attempt of all items of the workspace every ${seconds(credits.probeMs)}; all go on at the first success`,
			'after Credit Wait Timeout',
		],
		[
			'Polling',
			`any failure but a final refusal; 404 and failures in n8n up to ${polling.maxFailedReads} reads`,
			`between two polls of a job ${seconds(polling.minIntervalMs)} to ${seconds(polling.maxIntervalMs)}; between two sweeps at least ${seconds(polling.minSweepIntervalMs)}, without a response doubled up to ${seconds(polling.maxBackoffMs)}; a list goes out when the slots of jobs that have probably ended have stood idle for ${seconds(polling.requestPriceMs)} in all, longer where the request rate leaves less; what is probable say the last ${polling.memoryJobs} jobs of a kind, and of a job that takes longer than these that it ends within ${percent(polling.overdueShare)} of its age; a job that is not expected to end yet is polled every ${percent(polling.earlyShare)} of the shortest time of these, one of unknown kind every ${percent(polling.unknownShare)} of its age; where nothing is known, sweeps take at most ${percent(polling.maxRateShare)} of the request rate; after an event that is due, ${seconds(polling.eventGraceMs)}; after ${polling.maxFailedLists} lists without a response, up to ${polling.maxReadsPerSweep} jobs one by one`,
			`after Wait Timeout, with a final poll of at most ${seconds(polling.finalPollMs)}`,
		],
		[
			'Download',
			`${transferred}, no byte or fewer than promised, a 2xx other than 200; ${list(download.expiredStatuses)}: the link is renewed once`,
			transferDelay,
			`${attempts(download)}; each at most ${seconds(transfer.maxMs)}`,
		],
		[
			'Upload',
			`${list(transfer.transientStatuses)}, from 500 on, no response; ${list(upload.usedStatuses)}: a new presigned URL at once, unless the file is there`,
			transferDelay,
			attempts(upload),
		],
	];
}

const HEAD = ['policy', 'what is retried', 'delay', 'gives up'];

/** The whole of `docs/retries.md`. */
export function retriesReference(policies = POLICIES): string {
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return [
		'# Retry policies',
		'',
		'Written by `npm run reference` from `src/transport/limits/policies.ts`, which the code reads too. Anything that no row names',
		'is final: it is attempted once. Attempts include the first. A cancelled execution ends every wait at once.',
		'',
		line(HEAD),
		line(HEAD.map(() => '---')),
		...rowsOf(policies).map(line),
		'',
	].join('\n');
}
