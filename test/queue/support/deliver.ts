/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { Agent, request } from 'node:http';
import type { Member } from '../../../lab/n8n/queue';
import { signedHeaders } from '../../e2e/support/signed';

/** A connection each: one that is kept may be closed by n8n in the moment when it is used again. */
const agent = new Agent({ keepAlive: false, maxSockets: 64 });

/** Where a trigger takes events, and what they are signed with. */
export interface Hook {
	path: string;
	secret: string;
}

/**
 * A delivery of an event to one webhook process, past a balancer that asks whether it is ready.
 * @returns the status; 0 where the process is not there
 */
export async function deliver({ path, secret }: Hook, id: string, to: Member): Promise<number> {
	if (!to.isReady) return 0;
	const body = JSON.stringify({
		id,
		type: 'generation.completed',
		data: { object: { id: `gen_${id}` } },
	});
	const headers = { ...signedHeaders(secret, body), 'content-length': Buffer.byteLength(body) };
	return await new Promise((resolve) => {
		const options = { host: '127.0.0.1', port: to.port, path, method: 'POST', headers, agent };
		const outgoing = request(options, (answer) => {
			answer.resume();
			answer.on('end', () => resolve(answer.statusCode ?? 0));
			answer.on('error', () => resolve(0));
		});
		outgoing.on('error', () => resolve(0));
		outgoing.end(body);
	});
}
