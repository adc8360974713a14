/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createProxyServer } from 'http-proxy-3';
import { generate } from 'selfsigned';

/** The port for calls, or for calls of a path; 0 answers every call with 502. */
export type Route = number | ((path: string) => number);

/** A TLS front before a server of this machine, as a reverse proxy is in life. */
export interface TlsFront {
	/** Such as `https://localhost:4433/`. */
	url: string;
	/** The certificate (PEM) that callers must trust. */
	ca: string;
	/** Variables of the n8n behind it, which is called, and calls itself, at this address. */
	env: Record<string, string>;
	/** Where calls go from now on, such as a restarted n8n. */
	target(to: Route): void;
	stop(): Promise<void>;
}

/** A key and a certificate for `localhost` that are good for a day and for nothing else. */
async function selfSigned(): Promise<{ key: string; cert: string }> {
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
export async function startTlsFront(route: Route = 0): Promise<TlsFront> {
	const { key, cert } = await selfSigned();
	let target = route;
	// A connection each: a kept one may be closed by n8n in the moment when it is used again.
	const proxy = createProxyServer({ agent: new Agent({ keepAlive: false }), xfwd: true });
	const server = createHttps({ key, cert }, (incoming, outgoing) => {
		const port = typeof target === 'number' ? target : target(incoming.url ?? '/');
		proxy.web(incoming, outgoing, { target: { host: '127.0.0.1', port } }, () => {
			if (!outgoing.headersSent) outgoing.writeHead(502);
			outgoing.end();
		});
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const folder = mkdtempSync(path.join(tmpdir(), 'mediagen-front-'));
	const caFile = path.join(folder, 'ca.pem');
	writeFileSync(caFile, cert);
	const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
	return {
		url,
		ca: cert,
		env: { WEBHOOK_URL: url, N8N_PROXY_HOPS: '1', NODE_EXTRA_CA_CERTS: caFile },
		target: (to) => {
			target = to;
		},
		async stop() {
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
