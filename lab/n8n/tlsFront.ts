/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { createServer as createHttps } from 'node:https';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';

/** A TLS front before a server of this machine, as a reverse proxy is in life. */
export interface TlsFront {
	/** Such as `https://localhost:4433/`. */
	url: string;
	/** The certificate (PEM) that whoever calls has to trust. */
	ca: string;
	/** Where calls go from now on, such as a restarted n8n; 0 lets nobody through (502). */
	target(port: number): void;
	stop(): Promise<void>;
}

/** A key and a certificate for `localhost` that are good for a day and for nothing else. */
export async function selfSigned(): Promise<{ key: string; cert: string }> {
	const altNames = [
		{ type: 2, value: 'localhost' },
		{ type: 7, ip: '127.0.0.1' },
	];
	const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
		notAfterDate: new Date(Date.now() + 86_400_000),
		extensions: [
			{ name: 'basicConstraints', cA: true },
			{ name: 'subjectAltName', altNames: altNames as never },
		],
	});
	return { key, cert };
}

/** Starts a front on a free port of the loopback address. */
export async function startTlsFront(
	port = 0,
	pair?: { key: string; cert: string },
): Promise<TlsFront> {
	const { key, cert } = pair ?? (await selfSigned());
	let target = port;
	const server = createHttps({ key, cert }, (incoming, outgoing) => {
		const { method, url, headers } = incoming;
		const forwarded = {
			...headers,
			'x-forwarded-for': '127.0.0.1',
			'x-forwarded-proto': 'https',
			'x-forwarded-host': headers.host,
		};
		const onward = request(
			{ host: '127.0.0.1', port: target, method, path: url, headers: forwarded },
			(answer) => {
				outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
				answer.pipe(outgoing);
			},
		);
		onward.on('error', () => {
			if (!outgoing.headersSent) outgoing.writeHead(502);
			outgoing.end();
		});
		incoming.pipe(onward);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `https://localhost:${(server.address() as AddressInfo).port}/`,
		ca: cert,
		target: (to) => {
			target = to;
		},
		async stop() {
			server.closeAllConnections();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}
