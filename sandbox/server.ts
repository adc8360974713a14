/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error, no-console -- not published */
import express, { static as serveStatic, type ErrorRequestHandler, type Express } from 'express';
import { once } from 'events';
import { mkdtempSync } from 'fs';
import { rm } from 'fs/promises';
import { createServer } from 'http';
import type { AddressInfo } from 'net';
import { tmpdir } from 'os';
import { join } from 'path';

import document from '../docs/openapi.json';
import { admin } from './admin';
import { asset } from './assets';
import { Clock, realTimers, type Timers } from './clock';
import { createService, listKeys, type KeyInfo } from './createService';
import { ApiError } from './errors';
import { bracketed, onlyByName, onlyFromOwnPage } from './http/access';
import { sendError } from './http/answer';
import { recorder } from './http/exchange';
import { contract } from './http/operation';
import { readOptions, type StartOptions } from './options';
import type { StateDatabase } from './persistence';
import { HANDLERS } from './resources';
import { storage } from './resources/files';
import type { Service } from './service';
import type { Render } from './storage/library';

/** What it may be told from outside, and what programs of ours may hand over. */
export interface SandboxOptions extends StartOptions {
	/** Tests inject their own time. */
	timers?: Timers;
	/** Draws the media; tests may inject a quick one. */
	render?: Render;
	/** A certificate (PEM) that deliveries trust besides the usual ones. */
	deliveryCa?: string;
	/** Receives the sandbox's internal errors. Default: the standard error stream. */
	report?: (fault: unknown) => void;
}

/** A running sandbox. */
export interface Sandbox {
	/** Ends in `/v1`. */
	baseUrl: string;
	adminUrl: string;
	/** The page for people. */
	pageUrl: string;
	/** The address that others can reach, too; `undefined` where only this machine can. */
	openTo: string | undefined;
	/**
	 * All scopes; read scopes; another workspace with all scopes; a workspace without entitlement.
	 */
	keys: KeyInfo[];
	seed: number;
	/** The service itself, for in-process tests; replaced by a reset. */
	readonly service: Service;
	/** State and settings as at start. */
	reset(): Promise<void>;
	close(): Promise<void>;
}

const complain = (fault: unknown) => console.error('sandbox fault:', fault);

/** The media code is loaded when the first output is read. */
const draw: Render = async (request) => await (await import('./media')).render(request);

/** The host that stands for all addresses of a machine is none that can be asked. */
const ANY_HOST = ['0.0.0.0', '::'];

const isLoopback = (host: string) => /^(localhost|127\.[\d.]+|::1)$/i.test(host);

/**
 * Starts the whole service, on this machine only if no host is given. Rejects when the port is
 * busy, when another sandbox uses the directory, or when an option is wrong (ApiError).
 */
export async function createSandbox(given: SandboxOptions = {}): Promise<Sandbox> {
	const { timers = realTimers, render = draw, report = complain, deliveryCa, ...outside } = given;
	const options = readOptions(outside);
	const { settings, host } = options;
	const kept = await openState(options.data);
	const server = createServer();
	// Uploads may be large, and a connection closed just as a client uses it again looks like a lost
	// answer.
	server.requestTimeout = 0;
	server.keepAliveTimeout = 120_000;
	let seed: number;
	try {
		seed = kept?.chooseSeed(options.seed) ?? options.seed ?? Math.floor(Math.random() * 2 ** 31);
		server.listen(options.port, host);
		await once(server, 'listening');
	} catch (error) {
		await kept?.close();
		throw error;
	}
	const { port } = server.address() as AddressInfo;
	const local = `http://${ANY_HOST.includes(host) ? '127.0.0.1' : bracketed(host)}:${port}`;
	const origin = options.publicUrl ?? local;
	const ownNames = [local, origin].map((address) => new URL(address).hostname);
	// From here on nothing waits, so that no request comes before there is something to answer it.
	const home = options.data ?? mkdtempSync(join(tmpdir(), 'mediagen-sandbox-'));
	// One for each reset where nothing is kept: a file that is still being drawn disturbs nobody.
	const filesOf = (round: number) => join(home, kept ? 'files' : String(round));
	let round = 0;

	const build = () =>
		createService({
			seed,
			origin,
			local,
			settings: structuredClone(settings),
			clock: new Clock(settings.clockScale, timers),
			directory: filesOf(round),
			kept,
			render,
			report,
			deliveryCa,
		});
	const remove = async (path: string) =>
		await rm(path, { recursive: true, force: true, maxRetries: 5 });
	const reset = async () => {
		service.clock.stop();
		await service.dispatcher.close();
		await kept?.clear();
		if (kept) await remove(filesOf(round));
		round += 1;
		service = build();
		app = createApp(service, ownNames, reset);
	};
	let service = build();
	let app = createApp(service, ownNames, reset);
	server.on('request', (request, response) => app(request, response));
	await service.committed();

	return {
		baseUrl: `${local}/v1`,
		adminUrl: `${local}/sandbox`,
		pageUrl: `${local}/`,
		openTo: isLoopback(host) ? undefined : `${bracketed(host)}:${port}`,
		keys: listKeys(service),
		seed,
		get service() {
			return service;
		},
		reset,
		async close() {
			service.clock.stop();
			await service.dispatcher.close();
			server.closeAllConnections();
			await new Promise<void>((resolve) => server.close(() => resolve()));
			if (kept) await kept.close();
			else await remove(home);
		},
	};
}

/** The store is loaded only where it is asked for. */
async function openState(directory: string | undefined): Promise<StateDatabase | undefined> {
	return directory === undefined
		? undefined
		: await (await import('./persistence')).StateDatabase.open(directory);
}

/** The page for people: plain files, no build step. */
const PAGE = asset('page');

/** The whole HTTP surface: the contract under `/v1`, file addresses, and the admin path. */
function createApp(service: Service, ownNames: string[], reset: () => Promise<void>): Express {
	const { origin } = service.links;
	const app = express();
	app.disable('x-powered-by');
	app.disable('etag');
	app.enable('case sensitive routing');
	app.enable('strict routing');
	app.use(onlyByName(ownNames));
	const servers = [{ url: `${origin}/v1`, description: 'This sandbox' }];
	app.get('/openapi.json', (_request, response) => response.json({ ...document, servers }));
	app.get('/', (_request, response) => response.sendFile(join(PAGE, 'index.html')));
	app.use('/page', serveStatic(PAGE));
	// Browsers ask for it by themselves, also beside a picture that was opened: no client's request.
	app.get('/favicon.ico', (_request, response) => response.sendFile(join(PAGE, 'icon.svg')));
	app.use('/sandbox', onlyFromOwnPage(origin), admin(service, reset));
	app.use(recorder(service));
	app.use('/v1', contract(service, HANDLERS));
	app.use(storage(service));
	app.use(() => {
		throw new ApiError(404, 'not_found', 'The service has no such address.');
	});
	// Express recognises an error handler by its four arguments, used or not.
	// eslint-disable-next-line @typescript-eslint/no-unused-vars
	const failed: ErrorRequestHandler = (thrown, _request, response, _next) => {
		sendError(service, response, thrown);
	};
	app.use(failed);
	return app;
}
