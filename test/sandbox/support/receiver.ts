/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { once } from 'events';
import { readFileSync } from 'fs';
import type { IncomingHttpHeaders } from 'http';
import { createServer } from 'https';
import type { AddressInfo } from 'net';
import { join } from 'path';
import { buffer } from 'stream/consumers';

import { whyUntrusted } from '../../../src/trigger/signature';

/** A delivery as it arrived. */
export interface Received {
	headers: IncomingHttpHeaders;
	raw: Buffer;
	// eslint-disable-next-line @typescript-eslint/no-explicit-any
	body: any;
}

const pem = (name: string) => readFileSync(join(__dirname, 'tls', `${name}.pem`), 'utf8');

/** The certificate of the receiver below; of no use outside these tests. */
export const receiverCa = pem('cert');

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** A receiver of events on a free port of this machine, with TLS. */
export async function startReceiver() {
	const server = createServer({ key: pem('key'), cert: receiverCa }, async (request, response) => {
		const raw = await buffer(request);
		receiver.received.push({ headers: request.headers, raw, body: parse(raw) });
		if (receiver.answer === 0) request.socket.destroy();
		else response.writeHead(receiver.answer, { location: '/elsewhere' }).end();
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const receiver = {
		url: `https://127.0.0.1:${port}/hook`,
		received: [] as Received[],
		/** What it answers from now on; 0 cuts the connection. */
		answer: 200,
		/** Whether a delivery is signed with the secret at this time (milliseconds). */
		accepts({ headers, raw }: Received, secret: string, now: number): boolean {
			const timestamp = headers['webhook-timestamp'];
			const signature = headers['webhook-signature'];
			return whyUntrusted({ secret, timestamp, signature, rawBody: raw, now }) === undefined;
		},
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
	return receiver;
}

/** A body that was tampered with may be no JSON. */
function parse(raw: Buffer): unknown {
	try {
		return JSON.parse(raw.toString());
	} catch {
		return undefined;
	}
}
