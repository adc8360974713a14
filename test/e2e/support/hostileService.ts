/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import express, { type Request, type Response } from 'express';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export type Answer = (request: Request, response: Response) => void;

export interface Seen {
	method: string;
	path: string;
	headers: Record<string, unknown>;
	body: unknown;
}

/** A service that does what a test tells it to, and remembers all that it was asked. */
export interface HostileService {
	/** Ends in `/v1`. */
	baseUrl: string;
	/** The address without `/v1`. */
	origin: string;
	seen: Seen[];
	/** Answers a method and path from now on, such as `POST /v1/generations`. */
	on(route: string, answer: Answer): void;
	close(): Promise<void>;
}

/** Listens on a free port of this machine. Whatever has no answer is a 404 in the Error shape. */
export async function startHostileService(): Promise<HostileService> {
	const answers = new Map<string, Answer>();
	const seen: Seen[] = [];
	const app = express();
	app.use(express.json({ limit: '64mb' }));
	app.use((request, response) => {
		const { method, path, headers, body } = request;
		seen.push({ method, path, headers, body });
		const answer = answers.get(`${method} ${path}`);
		if (answer) return answer(request, response);
		response.status(404).json({ error: { type: 'not_found', message: 'Nothing is here' } });
	});
	const server = app.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		origin,
		baseUrl: `${origin}/v1`,
		seen,
		on: (route, answer) => void answers.set(route, answer),
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}
