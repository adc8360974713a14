/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { once } from 'node:events';
import {
	Agent,
	request,
	type IncomingMessage,
	type RequestOptions as HttpOptions,
} from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { createSandbox, type SandboxOptions } from '../../../sandbox/server';
import type { Render } from '../../../sandbox/storage/library';
import { ManualTimers } from './manualTimers';
import { expectDocumented } from './openapi';

/** A response as tests read it. */
export interface Answer {
	status: number;
	headers: Headers;
	// Tests reach into bodies of every shape, and what is missing fails the expectation.
	// eslint-disable-next-line @typescript-eslint/no-explicit-any
	body: any;
}

export interface RequestOptions {
	/** That of all scopes where it is left out; none where it is null. */
	key?: string | null;
	body?: unknown;
	/** Sent unchanged, for bodies that are not JSON. */
	raw?: string;
	headers?: Record<string, string>;
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const MP4 = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0', 'latin1');
const WAV = Buffer.from('RIFF\0\0\0\0WAVE', 'latin1');
const BEGINNINGS: Record<string, Buffer> = { image: PNG, video: MP4 };

/** A few bytes in place of real media, which begin as those do. */
export const quickRender: Render = async ({ kind, prompt, index }) => ({
	bytes: Buffer.concat([BEGINNINGS[kind] ?? WAV, Buffer.from(`${kind} ${index}: ${prompt}`)]),
	durationSeconds: 2,
});

/** A body of POST /generations that is accepted. */
export const anImage = (more: object = {}) => ({
	mode: 'image',
	model: 'studio/image-1',
	prompt: 'a fox in the snow',
	...more,
});

export type Harness = Awaited<ReturnType<typeof startHarness>>;

/** A sandbox whose time the test moves, and shorthands for talking to it. */
export async function startHarness(options: SandboxOptions = {}) {
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
	const keyAt = (index: number) => sandbox.keys[index]?.key ?? '';
	const keys = { all: keyAt(0), read: keyAt(1), other: keyAt(2), unentitled: keyAt(3) };
	const agent = new Agent({ keepAlive: true });

	const send = async (method: string, url: string, given: RequestOptions): Promise<Answer> => {
		const { key = keys.all, body, raw } = given;
		const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
		const headers = {
			...(key !== null && { authorization: `Bearer ${key}` }),
			// Node adds the length to some methods only, and a body of unknown length is none.
			...(sent !== undefined && {
				'content-type': 'application/json',
				'content-length': Buffer.byteLength(sent),
			}),
			...given.headers,
		};
		return await ask(url, { method, headers, agent }, sent);
	};
	/** A request of the contract, whose answer must be one of the OpenAPI document. */
	const call = async (method: string, path: string, given: RequestOptions = {}) => {
		const answer = await send(method, sandbox.baseUrl + path, given);
		expectDocumented(method, path, answer);
		return answer;
	};
	return {
		sandbox,
		timers,
		/** All scopes of the workspace `studio`; read scopes of it; all of `annex`; not entitled. */
		keys,
		/** Faults of the sandbox's own so far; a test expects none. */
		reported,
		/** A request to any address, whose answer may be any. */
		send,
		call,
		get: async (path: string, given?: RequestOptions) => await call('GET', path, given),
		post: async (path: string, body: unknown, given?: RequestOptions) =>
			await call('POST', path, { body, ...given }),
		admin: async (method: string, path: string, body?: unknown) =>
			await send(method, sandbox.adminUrl + path, { key: null, body }),
		/** Lets service seconds pass (the scale is 1). */
		pass: (seconds: number) => timers.pass(seconds),
		/** Repeats a request until the response is as wanted, for what ends shortly after its time. */
		async until(look: () => Promise<Answer>, good: (body: Answer['body']) => boolean) {
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
 * A request with exactly these headers, Host included. Without `fetch`, whose web streams would cost
 * more than the sandbox itself in thousands of requests.
 */
export async function ask(url: string, options: HttpOptions = {}, body?: string): Promise<Answer> {
	const outgoing = request(url, options).end(body);
	const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
	const text = await textOf(response);
	const headers = new Headers(response.headers as Record<string, string>);
	const isJson = headers.get('content-type')?.includes('json');
	return { status: response.statusCode ?? 0, headers, body: isJson ? JSON.parse(text) : text };
}
