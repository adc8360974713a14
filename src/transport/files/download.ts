import type { IBinaryData } from 'n8n-workflow';
import type { Host, StreamedResponse } from '../host/host';
import { fail, ok, type Result } from '../base/result';
import { isNoResponse } from '../base/types';
import type { Workspace } from '../workspace';
import { extensionOf, mediaTypeOf } from './mediaTypes';
import { bounded, isPassing, isTooLarge, promisedLength, transferDelay } from './transfer';
import { transferUrlProblem } from '../host/urlRules';

/** Tries in all. A link that has expired is renewed once besides. */
const TRIES = 4;
const MOST_REDIRECTS = 5;

/** What storage says when a signed link is past its time. */
const EXPIRED = new Set([401, 403, 404, 410]);

export interface Output {
	id: string;
	url: string;
	mediaType?: string;
	/** Until when the link is valid, in milliseconds since the epoch; `undefined` for a link without end. */
	expiresAt?: number;
	/** Name without extension. */
	stem: string;
	/** Reads the resource again for a fresh link; `undefined` when there is none. */
	renew(): Promise<string | undefined>;
}

type Fetched = StreamedResponse | { problem: string; next: 'again' | 'stop' };

const isAnswer = (fetched: Fetched): fetched is StreamedResponse => 'body' in fetched;

/** Follows redirects itself, because each hop must be an allowed address. */
async function fetchChecked(host: Host, start: string): Promise<Fetched> {
	let url = start;
	for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
		const wrong = transferUrlProblem(url, host.baseUrl);
		if (wrong) return { problem: wrong, next: 'stop' };
		const answer = await host.get(url);
		if (isNoResponse(answer)) {
			const mayHelp = !answer.unsent || answer.unsent === 'connection';
			return { problem: answer.noResponse, next: mayHelp ? 'again' : 'stop' };
		}
		if (answer.status < 300 || answer.status >= 400) return answer;
		answer.close();
		const { location } = answer.headers;
		if (!location || !URL.canParse(location, url)) {
			return { problem: 'a redirect without an address', next: 'stop' };
		}
		url = new URL(location, url).href;
	}
	return { problem: 'too many redirects', next: 'stop' };
}

type Tried =
	| { data: IBinaryData }
	| { problem: string; next: 'again' | 'renew' | 'stop'; headers?: Record<string, string> };

/** How many bytes earlier tries of a file ended with, all of them shorter than promised. */
type Short = Set<number>;

/**
 * Whether a body that ended without an error is the whole file. n8n's client unpacks what comes packed and hides that it was, so
 * the promised length may be that of the packed bytes. A longer body was packed, because HTTP ends any other at its length; a
 * shorter one is believed when it comes out the same twice, and otherwise taken for cut.
 */
function isWhole(answer: StreamedResponse, size: number, shorter: Short): boolean {
	const promised = promisedLength(answer);
	if (promised === undefined || size >= promised || shorter.has(size)) return true;
	shorter.add(size);
	return false;
}

async function keep(
	answer: StreamedResponse,
	output: Output,
	{ host, workspace, shorter }: Fetching,
): Promise<Tried> {
	const { stem, mediaType } = output;
	const packing = answer.headers['content-encoding'];
	if (packing && packing.toLowerCase() !== 'identity') {
		return {
			problem: `the file is packed in a way that n8n cannot unpack (${packing})`,
			next: 'stop',
		};
	}
	if (isTooLarge(answer)) {
		return {
			problem: `the file has ${promisedLength(answer)} bytes, which is too large`,
			next: 'stop',
		};
	}
	const type =
		mediaTypeOf(mediaType) ??
		mediaTypeOf(answer.headers['content-type']) ??
		'application/octet-stream';
	const { body, givenUp } = bounded(answer, workspace.clock, host.channel.signal);
	try {
		const { data, size } = await host.store(body, `${stem}.${extensionOf(type)}`, type);
		if (isWhole(answer, size, shorter)) return { data };
		return { problem: `${size} of ${promisedLength(answer)} bytes arrived`, next: 'again' };
	} catch {
		const { problem, final } = givenUp() ?? { problem: 'the transfer broke off', final: false };
		return { problem, next: final ? 'stop' : 'again' };
	}
}

interface Fetching {
	host: Host;
	workspace: Workspace;
	shorter: Short;
}

async function tryOnce(fetching: Fetching, url: string, output: Output): Promise<Tried> {
	const answer = await fetchChecked(fetching.host, url);
	if (!isAnswer(answer)) return answer;
	try {
		if (answer.status < 300) return await keep(answer, output, fetching);
		const problem = `the storage answered ${answer.status}`;
		if (EXPIRED.has(answer.status)) return { problem, next: 'renew' };
		return { problem, next: isPassing(answer.status) ? 'again' : 'stop', headers: answer.headers };
	} finally {
		answer.close();
	}
}

/**
 * Brings one output into n8n's binary data as a stream, without credentials: retried when it is cut or stalls, its link renewed
 * once when it has expired, and never short. Specification: Operation details, GET /generations/{id}.
 */
export async function download(
	host: Host,
	workspace: Workspace,
	output: Output,
): Promise<Result<IBinaryData>> {
	const { clock } = workspace;
	const fetching: Fetching = { host, workspace, shorter: new Set() };
	const { signal } = host.channel;
	let { url } = output;
	let isRenewed = false;
	const renew = async () => {
		isRenewed = true;
		url = (await output.renew()) ?? url;
	};
	if (clock.now() >= (output.expiresAt ?? Infinity)) await renew();
	for (let attempt = 1; ; attempt += 1) {
		const tried = await tryOnce(fetching, url, output);
		if ('data' in tried) return ok(tried.data);
		if (signal?.aborted) return fail({ kind: 'cancelled' });
		const { problem, next } = tried;
		const mayRenew = next === 'renew' && !isRenewed;
		if (!mayRenew && (next !== 'again' || attempt >= TRIES)) {
			return fail({ kind: 'download', outputId: output.id, problem });
		}
		if (mayRenew) await renew();
		else await clock.sleep(transferDelay(tried.headers, attempt, workspace), signal);
	}
}
