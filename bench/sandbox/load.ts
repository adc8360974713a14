/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { Agent, request } from 'http';

/** One kind of request, sent again and again. */
export interface Shot {
	method: 'GET' | 'POST';
	url: string;
	headers?: Record<string, string>;
	/** A new body for each request. */
	body?: () => string;
	/** The status that counts; another one ends the run, because it would measure something else. */
	expect: number;
}

const CONNECTIONS = 16;

/** Requests a second over kept-alive connections, measured over so many requests. */
export async function measure(shot: Shot, requests: number): Promise<number> {
	const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
	const started = performance.now();
	let left = requests;
	const lane = async () => {
		while (left > 0) {
			left -= 1;
			await fire(shot, agent);
		}
	};
	await Promise.all(Array.from({ length: CONNECTIONS }, lane));
	const seconds = (performance.now() - started) / 1000;
	agent.destroy();
	return requests / seconds;
}

/** Sends one and reads its answer to the end. */
export async function fire(shot: Shot, agent?: Agent): Promise<string> {
	return await new Promise<string>((resolve, reject) => {
		const body = shot.body?.();
		const headers = {
			...shot.headers,
			...(body !== undefined && {
				'content-type': 'application/json',
				'content-length': String(Buffer.byteLength(body)),
			}),
		};
		const sent = request(shot.url, { method: shot.method, agent, headers }, (response) => {
			let text = '';
			response.setEncoding('utf8');
			response.on('data', (chunk: string) => (text += chunk));
			response.on('end', () => {
				if (response.statusCode === shot.expect) resolve(text);
				else reject(new Error(`${shot.method} ${shot.url}: ${response.statusCode} ${text}`));
			});
		});
		sent.on('error', reject);
		sent.end(body);
	});
}
