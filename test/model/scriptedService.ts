/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import express, { type Request, type Response } from 'express';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export type Answer = (request: Request, response: Response) => void;

export interface RecordedRequest {
	method: string;
	path: string;
	headers: Record<string, unknown>;
	body: unknown;
}

/** A service over HTTP with scripted responses, which records all requests. */
export interface ScriptedService {
	/** Ends in `/v1`. */
	baseUrl: string;
	/** The address without `/v1`. */
	origin: string;
	requests: RecordedRequest[];
	/** Answers a method and path from now on, such as `POST /v1/generations`; `*` for all others. */
	on(route: string, answer: Answer): void;
	close(): Promise<void>;
}

/**
 * Listens on a free port of this machine. A request without an answer gets a 404 in the Error
 * shape.
 */
export async function startScriptedService(): Promise<ScriptedService> {
	const answers = new Map<string, Answer>();
	const requests: RecordedRequest[] = [];
	const app = express();
	app.use(express.json({ limit: '64mb' }));
	app.use((request, response) => {
		const { method, path, headers, body } = request;
		requests.push({ method, path, headers, body });
		const answer = answers.get(`${method} ${path}`) ?? answers.get('*');
		if (answer) return answer(request, response);
		response.status(404).json({ error: { type: 'not_found', message: 'Nothing is here' } });
	});
	const server = app.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		origin,
		baseUrl: `${origin}/v1`,
		requests,
		on: (route, answer) => void answers.set(route, answer),
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}
