import autocannon from 'autocannon';

/** One kind of request, sent again and again. */
export interface Shot {
	method: 'GET' | 'POST';
	url: string;
	headers?: Record<string, string>;
	body?: string;
	/** The status that counts; another one ends the run, because it would measure something else. */
	expect: number;
}

const CONNECTIONS = 16;

/** Requests a second over kept-alive connections, measured over that many requests. */
export async function measure({ expect, ...shot }: Shot, requests: number): Promise<number> {
	const started = performance.now();
	const { statusCodeStats, errors } = await autocannon({
		...shot,
		headers: headersOf(shot),
		connections: CONNECTIONS,
		amount: requests,
	});
	const seconds = (performance.now() - started) / 1000;
	const counted = statusCodeStats?.[`${expect}`]?.count ?? 0;
	if (counted !== requests) {
		const seen = JSON.stringify(statusCodeStats);
		throw new Error(`${shot.method} ${shot.url}: ${seen}, ${errors} errors instead of ${expect}`);
	}
	return requests / seconds;
}

const headersOf = ({ headers, body }: Pick<Shot, 'headers' | 'body'>) => ({
	...headers,
	...(body !== undefined && { 'content-type': 'application/json' }),
});

/** Sends one and reads its answer to the end. */
export async function fire({ expect, url, ...shot }: Shot): Promise<string> {
	const response = await fetch(url, { ...shot, headers: headersOf(shot) });
	const text = await response.text();
	if (response.status === expect) return text;
	throw new Error(`${shot.method} ${url}: ${response.status} ${text}`);
}
