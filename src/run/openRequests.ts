import { systemClock } from '../base/clock';
import { isKeyExpired, type Sent } from './state';

/** What the keys of a request are made of, besides their number. */
export interface RequestName {
	/** The run id of the execution that has sent it first. */
	runId: string;
	/** Fingerprint of the request. */
	content: string;
	/** Which of the equal contents of that execution it is. */
	occurrence: number;
}

/** A creation of *On Retries* whose result n8n may not have been given for good. */
interface OpenRequest extends RequestName {
	/** What was sent last, and under which key. */
	sent: Sent;
	/** The execution that has sent it, taken it over or delivered it last. */
	execution: string;
	/** Whether that was an execution in the editor. */
	isManual: boolean;
	/** What has come of it. `nothing`: the service has only refused it with 429, or was not reached. */
	outcome: 'job' | 'unknown' | 'nothing';
	/** Whether its result was given to n8n: it is closed unless another run of that execution fails. */
	isDelivered: boolean;
}

/**
 * The creations of one node, in whichever execution, whose results n8n was not given for good. The
 * service is the ledger of what was paid for: it answers a repeated key with the job that the key has
 * made, for 24 hours. So all that an execution needs in order to go on with what a former one has paid
 * for is the run id that its keys were made of. Kept in this process, because n8n keeps nothing of an
 * execution in the editor, and stores a stopped one as it was at its start.
 *
 * An execution in the editor goes on with what others in the editor have lost, and a retry that n8n has
 * given no memory with what others in production have. Two executions that are no retries are two orders.
 *
 * By node, not by credential: another key of the workspace, or another spelling of the base URL, leads
 * to the same jobs, and another service does not know the keys.
 */
export class OpenRequests {
	/** By content, the last one sent at the end. */
	private readonly requests = new Map<string, OpenRequest[]>();
	/** The runs of the node that have failed, by execution. One of a loop's many ends all of them. */
	private readonly failedRuns = new Map<string, Set<number>>();
	private readonly begun = new Set<string>();

	/** When an execution last came to the node or sent a request, in ms since the epoch. */
	private usedAt = 0;

	use(now: number): void {
		this.usedAt = Math.max(this.usedAt, now);
	}

	/** Whether the keys of all requests have expired. */
	isOver(now: number): boolean {
		return isKeyExpired(this.usedAt, now);
	}

	/**
	 * To be called when an execution makes its first new request of the node. What an earlier execution of its
	 * kind, in the editor or in production, was given for good is forgotten. The price: one that still runs, and is stopped or
	 * fails after that, pays for it again when it is retried.
	 * What one of the other kind was given stays, as that may be running still, and fail; so does its own, of an
	 * earlier round.
	 *
	 * @param now in ms since the epoch
	 */
	begin(execution: string, isManual: boolean, now: number): void {
		if (this.begun.has(execution)) return;
		const mayBeAskedFor = (request: OpenRequest): boolean => {
			if (isKeyExpired(request.sent.firstSentAt, now)) return false;
			const isOfOtherKind = request.isManual !== isManual;
			return isOfOtherKind || request.execution === execution || this.isLost(request);
		};
		const executions = new Set([execution]);
		for (const [content, requests] of this.requests) {
			const open = requests.filter(mayBeAskedFor);
			if (open.length > 0) this.requests.set(content, open);
			else this.requests.delete(content);
			for (const request of open) executions.add(request.execution);
		}
		this.begun.add(execution);
		for (const one of this.begun) if (!executions.has(one)) this.begun.delete(one);
		for (const one of this.failedRuns.keys()) if (!executions.has(one)) this.failedRuns.delete(one);
	}

	/** Whether its execution has not given its result to n8n, or has failed since. */
	private isLost({ isDelivered, execution }: OpenRequest): boolean {
		return !isDelivered || this.failedRuns.has(execution);
	}

	/**
	 * An execution goes on with a request of this content that another one of its kind has lost. Of several
	 * equal ones with one that has a job, rather than with one that may have one, and with the last of these.
	 */
	takeOver(
		{ content, execution, isManual }: Pick<OpenRequest, 'content' | 'execution' | 'isManual'>,
		now: number,
	): Readonly<OpenRequest> | undefined {
		const open = (this.requests.get(content) ?? []).filter((request) => {
			const isOther = request.execution !== execution && request.isManual === isManual;
			// One in production that has not failed may still be running.
			const isOver = isManual || this.failedRuns.has(request.execution);
			const hasExpired = isKeyExpired(request.sent.firstSentAt, now);
			return isOther && isOver && !hasExpired && this.isLost(request);
		});
		const outcomes = ['job', 'unknown', 'nothing'] as const;
		const best = outcomes.find((outcome) => open.some((request) => request.outcome === outcome));
		const lost = open.findLast((request) => request.outcome === best);
		if (!lost) return undefined;
		lost.execution = execution;
		lost.isDelivered = false;
		return lost;
	}

	/** A request is about to be sent. */
	note(request: Omit<OpenRequest, 'outcome' | 'isDelivered'>): void {
		this.use(request.sent.firstSentAt);
		const known = this.get(request);
		// A job that is known stays so, however its key is answered from now on.
		const hasJob = known?.outcome === 'job' && known.sent.key === request.sent.key;
		const noted: OpenRequest = {
			...request,
			outcome: hasJob ? 'job' : 'unknown',
			isDelivered: false,
		};
		this.requests.set(request.content, [...this.othersThan(request), noted]);
	}

	/** Whatever was sent under its key so far has been answered. */
	noteOutcome(name: RequestName, outcome: OpenRequest['outcome']): void {
		const request = this.get(name);
		if (request && request.outcome !== 'job') request.outcome = outcome;
	}

	/** The result of a request was given to n8n, by the execution that sent it or a retry of that one. */
	deliver(name: RequestName, execution: string): void {
		const request = this.get(name);
		if (!request) return;
		request.isDelivered = true;
		request.execution = execution;
	}

	/** The request was refused, or its job has failed: the next execution makes a new one. */
	close(name: RequestName): void {
		const others = this.othersThan(name);
		if (others.length > 0) this.requests.set(name.content, others);
		else this.requests.delete(name.content);
	}

	private othersThan(name: RequestName): OpenRequest[] {
		return this.requests.get(name.content)?.filter((request) => !isSame(request, name)) ?? [];
	}

	private get(name: RequestName): OpenRequest | undefined {
		return this.requests.get(name.content)?.find((request) => isSame(request, name));
	}

	/** A run of the node in an execution has ended. A later try of it may mend what an earlier one has failed. */
	endRun(execution: string, runIndex: number, hasFailed: boolean): void {
		const failed = this.failedRuns.get(execution) ?? new Set();
		if (hasFailed) failed.add(runIndex);
		else failed.delete(runIndex);
		if (failed.size > 0) this.failedRuns.set(execution, failed);
		else this.failedRuns.delete(execution);
	}
}

const isSame = (one: RequestName, other: RequestName): boolean =>
	one.runId === other.runId && one.occurrence === other.occurrence;

const nodes = new Map<string, OpenRequests>();

/**
 * Those of a node. What was sent stays in memory with its body, also of a node that is never executed
 * again, so it goes with its keys.
 * @param node workflow and node
 */
export function openRequestsOf(node: string, now = systemClock.now()): OpenRequests {
	const known = nodes.get(node) ?? new OpenRequests();
	known.use(now);
	nodes.set(node, known);
	for (const [name, requests] of nodes) if (requests.isOver(now)) nodes.delete(name);
	return known;
}
