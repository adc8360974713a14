import { fail, ok, type Failed, type Result } from '../base/result';
import type { ApiResponse, NoResponse } from '../base/types';
import { Semaphore } from '../base/semaphore';
import { addressKind, isSecure, parseUrl, serviceKind } from '../base/urls';
import { TRANSFER_TIMEOUT_MS, type Host } from '../transport/host';
import { hintedPauseMs } from '../transport/retries';
import { ofStorage } from '../transport/statuses';
import type { Workspace } from '../transport/workspace';

/*
 * The way of a file, up or down: four attempts, each with up to five redirects and of at most two hours. Each
 * address on the way is checked by the same rule.
 */

/** The most attempts to send or fetch a file. */
const MAX_ATTEMPTS = 4;

/** The most redirects that one attempt follows. */
const MAX_HOPS = 5;

/** The longest pause before the second attempt, in ms. It doubles with each further attempt. */
const INITIAL_DELAY_MS = 2_000;

/**
 * Why an attempt has failed, and what comes next: another attempt at the same address, at another one, or
 * none.
 */
export interface FailedAttempt {
	problem: string;
	next: ReturnType<typeof ofStorage>;
	/** The headers of the response, if there was one. */
	headers?: Record<string, string>;
}

/** A failure that would come again in another attempt. */
export const permanentFailure = (problem: string): FailedAttempt => ({ problem, next: 'never' });

/** A failure that may pass. */
export const transientFailure = (problem: string): FailedAttempt => ({ problem, next: 'again' });

/** The result of an attempt. */
export type AttemptResult<T> = { done: T } | FailedAttempt;

/**
 * What it means if a storage answers with anything but the expected success.
 * @param answerText the beginning of the body of the answer
 */
export function failureOfAnswer(
	response: Pick<ApiResponse, 'status' | 'headers'> | NoResponse,
	answerText = '',
): FailedAttempt {
	if ('noResponse' in response) {
		const { noResponse: problem, unsent } = response;
		const isTransient = unsent === undefined || unsent === 'connection';
		return isTransient ? transientFailure(problem) : permanentFailure(problem);
	}
	const { status, headers } = response;
	return {
		problem: `the storage answered ${status}`,
		next: ofStorage(status, answerText),
		headers,
	};
}

/**
 * What is wrong with an address that the service gives for an upload or a download; `undefined` if nothing
 * is. A public service must not lead us into private networks.
 */
export function transferUrlProblem(text: string, baseUrl: string): string | undefined {
	const url = parseUrl(text);
	if (!url) return 'the address is not a URL';
	if (!isSecure(url, baseUrl)) return 'the address is not https';
	const isInside = addressKind(url.hostname) !== 'public' && serviceKind(baseUrl) === 'public';
	return isInside ? 'the address is in a private network' : undefined;
}

/** A response to one request on the way. Its body may have to be closed. */
interface Hop {
	status: number;
	headers: Record<string, string>;
	close?: () => void;
}

/**
 * Sends a request to an address, and again to each address to which it is redirected. Each address must be an
 * allowed one.
 * @param request sends the request to an address
 */
export async function followRedirects<R extends Hop>(
	{ baseUrl }: Pick<Host, 'baseUrl'>,
	method: 'GET' | 'PUT',
	start: string,
	request: (url: string) => Promise<R | NoResponse>,
): Promise<R | FailedAttempt> {
	let url = start;
	for (let hop = 0; hop <= MAX_HOPS; hop += 1) {
		const urlProblem = transferUrlProblem(url, baseUrl);
		if (urlProblem) return permanentFailure(urlProblem);
		const response = await request(url);
		if ('noResponse' in response) return failureOfAnswer(response);
		const { status } = response;
		// After a PUT any other redirect asks for a GET.
		const isSame = method === 'PUT' ? status === 307 || status === 308 : status >= 300;
		if (!isSame || status >= 400) return response;
		response.close?.();
		const { location } = response.headers;
		if (!location || !URL.canParse(location, url))
			return permanentFailure('a redirect without an address');
		url = new URL(location, url).href;
	}
	return permanentFailure('too many redirects');
}

/** One file on its way. */
export interface Transfer<A, T> {
	/**
	 * Gives the address for the next attempt.
	 * @param refusals how often an address was refused as used up or expired. An address that is of no use
	 * counts twice
	 */
	address(refusals: number): Promise<Result<A>>;
	/** Bounds how many attempts run at the same time. Each attempt waits for its turn. */
	turns?: Semaphore;
	/**
	 * Makes one attempt.
	 * @param end fires when the execution is cancelled or the attempt has taken too long
	 */
	attempt(address: A, end: AbortSignal): Promise<AttemptResult<T>>;
	/**
	 * Makes the failure of the item. It must not contain an address.
	 * @param isTransient whether the transfer may succeed later
	 */
	failure(problem: string, isTransient?: true): Failed;
}

/** Sends or fetches a file: makes attempts until one succeeds or a further one is of no use. */
export async function transfer<A, T>(
	{ channel }: Pick<Host, 'channel'>,
	{ clock, random }: Pick<Workspace, 'clock' | 'random'>,
	{ address, turns = new Semaphore(1), attempt, failure }: Transfer<A, T>,
): Promise<Result<T>> {
	const { signal } = channel;
	let refusals = 0;
	let isOther = false;
	let at = await address(refusals);
	for (let number = 1; ; number += 1) {
		if (!at.ok) return at;
		const { value } = at;
		const result = await turns.run(channel, async () => {
			const deadline = AbortSignal.timeout(TRANSFER_TIMEOUT_MS);
			return await attempt(value, signal ? AbortSignal.any([signal, deadline]) : deadline);
		});
		if (result && 'done' in result) return ok(result.done);
		if (!result || signal?.aborted) return fail({ kind: 'cancelled' });
		const { problem, next, headers = {} } = result;
		const isFinal = next === 'never' || (next === 'otherAddress' && isOther);
		const isTransient = next === 'never' ? undefined : true;
		if (isFinal || number === MAX_ATTEMPTS) return failure(problem, isTransient);
		if (next === 'otherAddress') {
			isOther = true;
			refusals += 2;
			at = await address(refusals);
			continue;
		}
		if (next === 'newAddress') {
			refusals += 1;
			at = await address(refusals);
			continue;
		}
		const backoff = random() * INITIAL_DELAY_MS * 2 ** (number - 1);
		const hinted = hintedPauseMs(headers, clock.now(), random) ?? 0;
		await clock.sleep(Math.max(hinted, backoff), signal);
		if (signal?.aborted) return fail({ kind: 'cancelled' });
	}
}
