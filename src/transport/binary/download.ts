import type { IBinaryData } from 'n8n-workflow';
import type { Host, StreamedAnswer } from '../host';
import { fail, ok, type Failed, type Result } from '../result';
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

/**
 * Brings one output into n8n's binary data as a stream, without credentials: retried when it is cut, refreshed once when
 * its link has expired, and never short. Specification: Operation details, GET /generations/{id}.
 */
export async function download(
	host: Host,
	workspace: Workspace,
	output: Output,
): Promise<Result<IBinaryData>> {
	const problem = (text: string): Failed =>
		fail({ kind: 'download', outputId: output.id, problem: text });
	let { url } = output;
	let renewed = false;
	let trouble = 'it was not tried';
	for (let attempt = 1; attempt <= TRIES; attempt += 1) {
		const answer = await fetchChecked(host, url);
		if (host.line.signal?.aborted) return fail({ kind: 'cancelled' });
		if (isAnswer(answer) && answer.status < 300) {
			const kept = await keep(host, answer, output);
			if ('data' in kept) return ok(kept.data);
			trouble = kept.problem;
		} else if (isAnswer(answer)) {
			discard(answer);
			trouble = `the storage answered ${answer.status}`;
			if (EXPIRED.has(answer.status) && !renewed) {
				renewed = true;
				const fresh = await output.renew();
				if (fresh) url = fresh;
				attempt -= 1;
				continue;
			}
			if (answer.status < 500 && answer.status !== 429 && answer.status !== 408) break;
		} else {
			trouble = answer.problem;
			if (!answer.passing) break;
		}
		const longest = 1_000 * 2 ** attempt;
		if (attempt < TRIES) await workspace.clock.sleep(workspace.random() * longest, host.line.signal);
	}
	return problem(trouble);
}
