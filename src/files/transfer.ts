import { fail, ok, type Failed, type Result } from '../base/result';
import type { ApiResponse, NoResponse } from '../base/types';
import { Semaphore } from '../base/semaphore';
import { hintedDelay } from '../transport/client';
import { TRANSFER_TIMEOUT_MS, type Host } from '../transport/host';
import { ofStorage } from '../transport/statuses';
import { transferUrlProblem } from '../transport/urls';
import type { Workspace } from '../transport/workspace';

/*
 * What a file goes through on its way, up and down alike: four attempts, up to five redirects in each
 * of them, each address checked by the same rule, and two hours for each attempt.
 */

/** How often a file is sent or fetched. */
const MAX_ATTEMPTS = 4;

/** Redirects that one attempt follows. */
const MAX_HOPS = 5;

/** Most that the second attempt waits, in ms; doubles with each further one. */
const INITIAL_DELAY_MS = 2_000;

/** Why a file was not sent or fetched, and whether it is tried again, at the same or another address. */
export interface Setback {
	problem: string;
	next: ReturnType<typeof ofStorage>;
	/** Of the response, if there was one. */
	headers?: Record<string, string>;
}

/** For a setback that another attempt would meet too. */
export const stop = (problem: string): Setback => ({ problem, next: 'never' });

/** For a setback that may pass. */
export const retry = (problem: string): Setback => ({ problem, next: 'again' });

/** What has come of an attempt. */
export type Attempted<T> = { done: T } | Setback;

/**
 * What a response of the storage means that is not the one hoped for.
 * @param said the beginning of its body
 */
export function setbackOf(
	response: Pick<ApiResponse, 'status' | 'headers'> | NoResponse,
	said = '',
): Setback {
	if ('noResponse' in response) {
		const { noResponse: problem, unsent } = response;
		const mayPass = unsent === undefined || unsent === 'connection';
		return mayPass ? retry(problem) : stop(problem);
	}
	const { status, headers } = response;
	return { problem: `the storage answered ${status}`, next: ofStorage(status, said), headers };
}

/** In bytes; `undefined` if the response states none that is usable. */
export function contentLength({ headers }: Pick<ApiResponse, 'headers'>): number | undefined {
	const length = headers['content-length'] ?? '';
	return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** A response on the way to a file, whose body may have to be closed. */
interface Hop {
	status: number;
	headers: Record<string, string>;
	close?: () => void;
}

/**
 * Sends a request to an address and wherever that redirects it. Each address must be an allowed one.
 * @param request the same at each address
 */
export async function followRedirects<R extends Hop>(
	{ baseUrl }: Pick<Host, 'baseUrl'>,
	method: 'GET' | 'PUT',
	start: string,
	request: (url: string) => Promise<R | NoResponse>,
): Promise<R | Setback> {
	let url = start;
	for (let hop = 0; hop <= MAX_HOPS; hop += 1) {
		const urlProblem = transferUrlProblem(url, baseUrl);
		if (urlProblem) return stop(urlProblem);
		const response = await request(url);
		if ('noResponse' in response) return setbackOf(response);
		const { status } = response;
		// Of a PUT any other one asks for a GET instead.
		const isSame = method === 'PUT' ? status === 307 || status === 308 : status >= 300;
		if (!isSame || status >= 400) return response;
		response.close?.();
		const { location } = response.headers;
		if (!location || !URL.canParse(location, url)) return stop('a redirect without an address');
		url = new URL(location, url).href;
	}
	return stop('too many redirects');
}

/** One file on its way. */
export interface Transfer<A, T> {
	/**
	 * Where it goes, or comes from.
	 * @param refusals how often an address was refused so far, as used up or expired; twice for one that is
	 * of no use
	 */
	address(refusals: number): Promise<Result<A>>;
	/** Bounds how many are under way at a time; an attempt waits for its turn. */
	turns?: Semaphore;
	/** @param end fires when the execution is cancelled, or the attempt has taken too long */
	attempt(address: A, end: AbortSignal): Promise<Attempted<T>>;
	/**
	 * What the failure says. No address may be in it.
	 * @param mayPass whether the same may go well later
	 */
	failure(problem: string, mayPass?: true): Failed;
}

/** Sends or fetches a file, until it has arrived or nothing more is of use. */
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
		const attempted = await turns.run(channel, async () => {
			const deadline = AbortSignal.timeout(TRANSFER_TIMEOUT_MS);
			return await attempt(value, signal ? AbortSignal.any([signal, deadline]) : deadline);
		});
		if (attempted && 'done' in attempted) return ok(attempted.done);
		if (!attempted || signal?.aborted) return fail({ kind: 'cancelled' });
		const { problem, next, headers = {} } = attempted;
		const isFinal = next === 'never' || (next === 'otherAddress' && isOther);
		const mayPass = next === 'never' ? undefined : true;
		if (isFinal || number === MAX_ATTEMPTS) return failure(problem, mayPass);
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
		await clock.sleep(hintedDelay(headers, clock.now(), random) ?? backoff, signal);
		if (signal?.aborted) return fail({ kind: 'cancelled' });
	}
}
