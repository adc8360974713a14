/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'fs';
import type { IncomingMessage, ServerResponse } from 'http';
import { createServer } from 'https';
import type { AddressInfo } from 'net';
import { join } from 'path';

import { refusalOf } from '../../../src/events/signature';

/** A delivery as it arrived. */
export interface Received {
	headers: IncomingMessage['headers'];
	raw: Buffer;
	// eslint-disable-next-line @typescript-eslint/no-explicit-any
	body: any;
}

export interface Receiver {
	url: string;
	received: Received[];
	/** What it answers from now on; 0 cuts the connection. */
	answer: number;
	/** When given, it answers nothing before this. */
	answersAfter?: Promise<void>;
	/** Whether a delivery is signed with the secret at this time (milliseconds). */
	accepts(delivery: Received, secret: string, now: number): boolean;
	close(): Promise<void>;
}

const pem = (name: string) => readFileSync(join(__dirname, 'tls', `${name}.pem`), 'utf8');

/** The certificate of the receiver below; of no use outside these tests. */
export const receiverCa = pem('cert');

/** What a server of TLS proves itself with. */
export const receiverIdentity = { key: pem('key'), cert: pem('cert') };

/** A receiver of events on a free port of this machine, with TLS. */
export async function startReceiver(): Promise<Receiver> {
	const received: Received[] = [];
	const listen = (request: IncomingMessage, response: ServerResponse) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', async () => {
			const raw = Buffer.concat(chunks);
			received.push({ headers: request.headers, raw, body: parse(raw) });
			await receiver.answersAfter;
			if (receiver.answer === 0) request.socket.destroy();
			else response.writeHead(receiver.answer, { location: '/elsewhere' }).end();
		});
	};
	const server = createServer(receiverIdentity, listen);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const receiver: Receiver = {
		url: `https://127.0.0.1:${port}/hook`,
		received,
		answer: 200,
		accepts: ({ headers, raw }, secret, now) =>
			refusalOf({
				secret,
				timestamp: headers['webhook-timestamp'],
				signature: headers['webhook-signature'],
				rawBody: raw,
				now,
			}) === undefined,
		close: async () => {
			server.closeAllConnections();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
	return receiver;
}

function parse(raw: Buffer): unknown {
	try {
		return JSON.parse(raw.toString());
	} catch {
		return undefined;
	}
}
