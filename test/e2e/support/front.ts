/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import express, { type Request } from 'express';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A request to the service on its way through a front. */
export interface Passing {
	method: string;
	/** With `/v1`, without the query. */
	path: string;
	body: Record<string, unknown>;
	apiKey: string;
	/** Its idempotency key; empty without one. */
	key: string;
	/** Whether it creates something: a POST to a list of resources. */
	isCreation: boolean;
}

/** What is answered; a text or bytes as they are, anything else as JSON. */
export interface Reply {
	status: number;
	headers?: Record<string, string>;
	body?: unknown;
}

/**
 * Decides what a request is answered: what `pass` gives, which has the service carry it out, or anything
 * else.
 */
export type Rule = (request: Passing, pass: () => Promise<Reply>) => Promise<Reply>;

export interface Front {
	/** Ends in `/v1`. */
	baseUrl: string;
	/** Takes the place of the rule until now; without one everything is passed on. */
	rule(rule: Rule): void;
	close(): Promise<void>;
}

const CREATION = /^\/v1\/[a-z]+(\/runs)?$/;

/** The service's error shape. */
export const refusal = (status: number, message: string): Reply => ({
	status,
	body: { error: { type: 'refused', message } },
});

/**
 * A service in front of a sandbox, for faults that the sandbox's own cannot tell apart: by what is asked for,
 * by the key, and by whether the request was carried out.
 * @param target the sandbox's base URL
 */
export async function startFront(target: string): Promise<Front> {
	const { origin } = new URL(target);
	let current: Rule = async (_, pass) => await pass();
	const app = express();
	app.use(express.raw({ type: () => true, limit: '64mb' }));
	app.use(async (request, response) => {
		const passing = passingOf(request);
		const answer = await current(passing, async () => await passOn(origin, request));
		if (response.destroyed) return;
		response.status(answer.status).set(answer.headers ?? {});
		const { body } = answer;
		if (typeof body === 'string' || Buffer.isBuffer(body)) response.end(body);
		else response.json(body ?? {});
	});
	const server = app.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
		rule: (rule) => {
			current = rule;
		},
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}

function passingOf({ method, path, headers, body }: Request): Passing {
	const isJson = headers['content-type']?.includes('json') && Buffer.isBuffer(body);
	return {
		method,
		path,
		body: isJson ? (JSON.parse(body.toString()) as Record<string, unknown>) : {},
		apiKey: headers.authorization?.replace(/^Bearer /i, '') ?? '',
		key: String(headers['idempotency-key'] ?? ''),
		isCreation: method === 'POST' && path !== '/v1/files' && CREATION.test(path),
	};
}

const NOT_PASSED = ['host', 'connection', 'content-length', 'transfer-encoding'];

async function passOn(
	origin: string,
	{ method, originalUrl, headers, body }: Request,
): Promise<Reply> {
	const passed = Object.entries(headers).filter(([name]) => !NOT_PASSED.includes(name));
	const answer = await fetch(origin + originalUrl, {
		method,
		headers: Object.fromEntries(passed) as Record<string, string>,
		body: Buffer.isBuffer(body) && body.length > 0 ? new Uint8Array(body) : undefined,
		redirect: 'manual',
	});
	const kept = ['content-type', 'retry-after', 'location'].flatMap((name) => {
		const value = answer.headers.get(name);
		return value === null ? [] : [[name, value]];
	});
	return {
		status: answer.status,
		headers: Object.fromEntries(kept) as Record<string, string>,
		body: Buffer.from(await answer.arrayBuffer()),
	};
}
