import type { IBinaryData } from 'n8n-workflow';
import type { Host, StreamedAnswer } from '../host';
import { fail, ok, type Result } from '../result';
import { isLost } from '../types';
import type { Workspace } from '../workspace';
import { extensionOf, mediaTypeOf } from './mediaTypes';
import { transferUrlProblem } from './urlRules';

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

type Fetched = StreamedAnswer | { problem: string; passing: boolean };

const isAnswer = (fetched: Fetched): fetched is StreamedAnswer => 'body' in fetched;

/** Follows redirects itself, because each hop must be an allowed address. */
async function fetchChecked(host: Host, start: string): Promise<Fetched> {
	let url = start;
	for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
		const wrong = transferUrlProblem(url, host.baseUrl);
		if (wrong) return { problem: wrong, passing: false };
		const answer = await host.get(url);
		if (isLost(answer)) return { problem: answer.lost, passing: true };
		if (answer.status < 300 || answer.status >= 400) return answer;
		discard(answer);
		const { location } = answer.headers;
		if (!location || !URL.canParse(location, url)) {
			return { problem: 'a redirect without an address', passing: false };
		}
		url = new URL(location, url).href;
	}
	return { problem: 'too many redirects', passing: false };
}

/** Reads the rest of an unwanted answer into nothing, so that its connection is not held. */
function discard({ body }: StreamedAnswer): void {
	body.on('error', () => {});
	body.resume();
}

/** The length that the answer promises, unless it is packed and so counts other bytes. */
function promisedLength({ headers }: StreamedAnswer): number | undefined {
	const length = headers['content-length'];
	return length === undefined || headers['content-encoding'] ? undefined : Number(length);
}

async function keep(
	host: Host,
	answer: StreamedAnswer,
	{ stem, mediaType }: Output,
): Promise<{ data: IBinaryData } | { problem: string }> {
	const type =
		mediaTypeOf(mediaType) ??
		mediaTypeOf(answer.headers['content-type']) ??
		'application/octet-stream';
	const promised = promisedLength(answer);
	try {
		const { data, size } = await host.store(answer.body, `${stem}.${extensionOf(type)}`, type);
		if (promised === undefined || promised === size) return { data };
		return { problem: `${size} of ${promised} bytes arrived` };
	} catch {
		return { problem: 'the transfer broke off' };
	}
}

type Tried = { data: IBinaryData } | { problem: string; next: 'again' | 'renew' | 'stop' };

const isPassing = (status: number) => status >= 500 || status === 429 || status === 408;

async function tryOnce(host: Host, url: string, output: Output): Promise<Tried> {
	const answer = await fetchChecked(host, url);
	if (!isAnswer(answer)) {
		return { problem: answer.problem, next: answer.passing ? 'again' : 'stop' };
	}
	if (answer.status < 300) {
		const kept = await keep(host, answer, output);
		return 'data' in kept ? kept : { ...kept, next: 'again' };
	}
	discard(answer);
	const problem = `the storage answered ${answer.status}`;
	if (EXPIRED.has(answer.status)) return { problem, next: 'renew' };
	return { problem, next: isPassing(answer.status) ? 'again' : 'stop' };
}

/**
 * Brings one output into n8n's binary data as a stream, without credentials: retried when it is cut, its link renewed once
 * when it has expired, and never short. Specification: Operation details, GET /generations/{id}.
 */
export async function download(
	host: Host,
	workspace: Workspace,
	output: Output,
): Promise<Result<IBinaryData>> {
	const { clock, random } = workspace;
	const { signal } = host.line;
	let { url } = output;
	let isRenewed = false;
	const renew = async () => {
		isRenewed = true;
		url = (await output.renew()) ?? url;
	};
	if (clock.now() >= (output.expiresAt ?? Infinity)) await renew();
	for (let attempt = 1; ; attempt += 1) {
		const tried = await tryOnce(host, url, output);
		if ('data' in tried) return ok(tried.data);
		if (signal?.aborted) return fail({ kind: 'cancelled' });
		const { problem, next } = tried;
		const mayRenew = next === 'renew' && !isRenewed;
		if (!mayRenew && (next !== 'again' || attempt >= TRIES)) {
			return fail({ kind: 'download', outputId: output.id, problem });
		}
		if (mayRenew) await renew();
		else await clock.sleep(random() * 1_000 * 2 ** attempt, signal);
	}
}
