/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { once } from 'node:events';
import {
	Agent,
	request as httpRequest,
	type IncomingMessage,
	type RequestOptions as HttpOptions,
} from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/server';
import type { Render } from '../../../sandbox/storage/library';
import { ManualTimers } from './manualTimers';
import { expectDocumented } from './openapi';
import { elementAt } from './elementAt';

/** A response as tests read it. */
export interface Answer {
	status: number;
	headers: Headers;
	// Tests reach into bodies of every shape, and what is missing fails the expectation.
	// eslint-disable-next-line @typescript-eslint/no-explicit-any
	body: any;
}

export interface RequestOptions {
	key?: string | null;
	body?: unknown;
	/** Sent unchanged, for bodies that are not JSON. */
	raw?: string | Buffer;
	headers?: Record<string, string>;
}

/** A few bytes in place of real media. */
export const quickRender: Render = async ({ kind, prompt, index }) => ({
	bytes: Buffer.from(`${kind} ${index}: ${prompt}`),
	durationSeconds: 2,
});

/** A sandbox whose time the test moves, and shorthands for talking to it. */
export interface Harness {
	sandbox: Sandbox;
	timers: ManualTimers;
	/** All scopes of the workspace `studio`; read scopes of it; all of `annex`; not entitled. */
	keys: { all: string; read: string; other: string; unentitled: string };
	/** Faults of the sandbox's own so far; a test expects none. */
	reported: unknown[];
	call(method: string, path: string, options?: RequestOptions): Promise<Answer>;
	get(path: string, options?: RequestOptions): Promise<Answer>;
	post(path: string, body: unknown, options?: RequestOptions): Promise<Answer>;
	admin(method: string, path: string, body?: unknown): Promise<Answer>;
	/** Lets service seconds pass (the scale is 1). */
	pass(seconds: number): void;
	/** Repeats a request until the response is as wanted, for what ends shortly after its time. */
	until(look: () => Promise<Answer>, good: (body: Answer['body']) => boolean): Promise<Answer>;
	close(): Promise<void>;
}

export async function startHarness(options: SandboxOptions = {}): Promise<Harness> {
	const timers = new ManualTimers();
	const reported: unknown[] = [];
	const sandbox = await createSandbox({
		seed: 1,
		timers,
		render: quickRender,
		report: (fault) => reported.push(fault),
		...options,
		settings: { requestsPerMinute: 100_000, ...options.settings },
	});
	const keyAt = (index: number) => elementAt(sandbox.keys, index).key;
	const keys = { all: keyAt(0), read: keyAt(1), other: keyAt(2), unentitled: keyAt(3) };

	const agent = new Agent({ keepAlive: true });

	const request = async (
		url: string,
		method: string,
		{ key, body, raw, headers: more }: RequestOptions,
	): Promise<Answer> => {
		const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
		const headers = {
			...(key === null ? {} : { authorization: `Bearer ${key ?? keys.all}` }),
			...(sent === undefined
				? {}
				: {
						'content-type': 'application/json',
						// Node adds it to some methods only, and a body of unknown length is none.
						'content-length': Buffer.byteLength(sent),
					}),
			...more,
		};
		return await ask(url, { method, headers, agent }, sent);
	};
	const harness: Harness = {
		sandbox,
		timers,
		keys,
		reported,
		async call(method, path, given = {}) {
			const answer = await request(sandbox.baseUrl + path, method, given);
			expectDocumented(method, path, answer);
			return answer;
		},
		get: async (path, given = {}) => await harness.call('GET', path, given),
		post: async (path, body, given = {}) => await harness.call('POST', path, { body, ...given }),
		admin: async (method, path, body) =>
			await request(sandbox.adminUrl + path, method, { key: null, body }),
		pass: (seconds) => timers.pass(seconds),
		async until(look, good) {
			for (let tries = 0; tries < 500; tries += 1) {
				const answer = await look();
				if (good(answer.body)) return answer;
				await new Promise((resolve) => setTimeout(resolve, 5));
			}
			throw new Error('It never came to pass.');
		},
		async close() {
			agent.destroy();
			await sandbox.close();
		},
	};
	return harness;
}

/** Starts a sandbox before each test of a file, and expects no fault of its own afterwards. */
export function harnessForEach(begin: (started: Harness) => void, options?: SandboxOptions): void {
	let service: Harness;
	beforeEach(async () => {
		service = await startHarness(options);
		begin(service);
	});
	afterEach(async () => {
		expect(service.reported).toEqual([]);
		await service.close();
	});
}

/**
 * Without `fetch`, whose web streams would cost more than the sandbox itself in tests of thousands
 * of requests.
 */
async function ask(
	url: string,
	options: HttpOptions,
	body: string | Buffer | undefined,
): Promise<Answer> {
	const [response] = (await once(httpRequest(url, options).end(body), 'response')) as [
		IncomingMessage,
	];
	const text = await textOf(response);
	const isJson = response.headers['content-type']?.includes('json');
	return {
		status: response.statusCode ?? 0,
		get headers() {
			return new Headers(
				Object.entries(response.headers).flatMap(([name, value]) =>
					[value ?? []].flat().map((each): [string, string] => [name, each]),
				),
			);
		},
		body: isJson ? JSON.parse(text) : text,
	};
}

/** A body of POST /generations that is accepted. */
export const anImage = (more: object = {}) => ({
	mode: 'image',
	model: 'studio/image-1',
	prompt: 'a fox in the snow',
	...more,
});
