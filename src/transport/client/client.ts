import type { Gate } from '../limits/rateLimiter';
import {
	fail,
	ok,
	type Failed,
	type Failure,
	type Result,
	type ServiceWords,
} from '../base/result';
import { isUnclear, retryDelay } from './retry';
import { retryAfterMs } from './retryAfter';
import {
	isLost,
	isRecord,
	type Answer,
	type ApiRequest,
	type ApiResponse,
	type Clock,
	type Line,
	type Random,
} from '../base/types';

export interface Asking {
	/** Whether a repeat is the same act. Default: every method but POST. */
	replayable?: boolean;
	/**
	 * Whether a 429 may be about a place among the concurrent jobs: no reason to hold up everybody, and answered to the
	 * caller at once, who gives the place back before it tries again.
	 */
	needsSlot?: boolean;
	/** One try only: who polls comes back anyway. */
	once?: boolean;
	/** What is wrong with a successful answer; `undefined` for a good one. Default: it must be a JSON object. */
	flaw?: (body: unknown) => string | undefined;
}

const notAnObject = (body: unknown) => (isRecord(body) ? undefined : 'it is no JSON object');

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** Reads the Error shape (specification: Error) without trusting it. */
export function wordsOf(body: unknown): ServiceWords {
	const error = isRecord(body) && isRecord(body.error) ? body.error : {};
	return {
		message: text(error.message),
		type: text(error.type),
		requestId: text(error.request_id),
		details: error.details,
	};
}

/** Carries requests to the service: in turn, again where that is right, and never twice where it is not. */
export class Client {
	constructor(
		private readonly gate: Gate,
		private readonly clock: Clock,
		private readonly random: Random,
	) {}

	/**
	 * Sends until there is a final answer. A success is a 2xx whose body has no flaw; everything else is a failure
	 * that says what is known. `unclear` in it: some try may have been carried out although no answer told so.
	 */
	async request(
		line: Line,
		request: ApiRequest,
		asking: Asking = {},
	): Promise<Result<ApiResponse>> {
		const replayable = asking.replayable ?? request.method !== 'POST';
		let unclear = false;
		for (let attempt = 1; ; attempt += 1) {
			const answer = await this.sendOnce(line, request);
			if (!answer) return fail({ kind: 'cancelled' });
			const flaw = flawOf(answer, asking.flaw ?? notAnObject);
			if (!isLost(answer) && flaw === undefined) return ok(answer);

			unclear ||= isUnclear(answer);
			const made = { attempt, replayable, now: this.clock.now(), random: this.random };
			const delay = retryDelay(answer, made);
			const limited = isLimited(answer);
			if (limited && !asking.needsSlot) this.gate.refused(delay ?? 0);
			if (line.signal?.aborted) return fail({ kind: 'cancelled' });
			if (delay === undefined || asking.once || (limited && asking.needsSlot)) {
				const hintMs = isLost(answer) ? undefined : retryAfterMs(answer.headers, made.now);
				return ending(answer, { attempt, replayable, unclear, flaw, hintMs });
			}
			await this.clock.sleep(delay, line.signal);
		}
	}

	private async sendOnce(line: Line, request: ApiRequest): Promise<Answer | undefined> {
		if (!(await this.gate.enter(line))) return undefined;
		try {
			return await line.send(request);
		} finally {
			this.gate.leave();
		}
	}
}

const isLimited = (answer: Answer) => !isLost(answer) && answer.status === 429;

const isSuccess = (status: number) => status >= 200 && status < 300;

function flawOf(answer: Answer, flaw: (body: unknown) => string | undefined): string | undefined {
	if (isLost(answer)) return answer.lost;
	return isSuccess(answer.status) ? flaw(answer.body) : `status ${answer.status}`;
}

interface Ending {
	attempt: number;
	replayable: boolean;
	unclear: boolean;
	flaw: string | undefined;
	hintMs: number | undefined;
}

function ending(answer: Answer, ended: Ending): Failed {
	const { attempt, replayable, unclear, flaw, hintMs } = ended;
	let failure: Failure;
	if (isLost(answer)) {
		const { lost: reason, unsent } = answer;
		failure = { kind: 'lost', reason, attempts: attempt, replayable, sent: unclear, unsent };
	} else if (isSuccess(answer.status)) {
		failure = { kind: 'answer', status: answer.status, problem: flaw ?? 'it cannot be read' };
	} else {
		failure = {
			kind: 'status',
			status: answer.status,
			said: wordsOf(answer.body),
			unclear,
			hintMs,
		};
	}
	return fail(failure);
}
