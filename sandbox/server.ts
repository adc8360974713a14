/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import express, {
	Router,
	static as serveStatic,
	type ErrorRequestHandler,
	type Express,
} from 'express';
import { once } from 'events';
import { mkdtempSync } from 'fs';
import { rm } from 'fs/promises';
import { createServer } from 'http';
import type { AddressInfo } from 'net';
import { tmpdir } from 'os';
import { join } from 'path';

import { admin } from './admin';
import { Clock, realTimers, type Timers } from './clock';
import { createService, listKeys, type KeyInfo } from './createService';
import { ApiError, asApiError } from './errors';
import { onlyByName, onlyFromOwnPage } from './http/access';
import { sendError } from './http/answer';
import { begin } from './http/exchange';
import { operations } from './http/operation';
import type { StateDatabase } from './persistence';
import { agentRuns } from './resources/agentRuns';
import { files, storage } from './resources/files';
import { generations } from './resources/generations';
import { personas } from './resources/personas';
import { speech } from './resources/speech';
import { voices } from './resources/voices';
import { webhooks } from './resources/webhooks';
import { workspace } from './resources/workspace';
import type { Service } from './service';
import { readSettings, type SettingsInput } from './settings';
import type { Render } from './storage/library';

export interface SandboxOptions {
	/** 0 (the default) picks a free one. */
	port?: number;
	/** The same seed gives the same ids, durations, media and faults. Default: random. */
	seed?: number;
	/** Any of the settings, for example `{clockScale: 60, concurrentJobs: 2}`. */
	settings?: SettingsInput;
	/** Where addresses in responses point to if the sandbox is behind a proxy. */
	publicUrl?: string;
	/** Tests inject their own time. */
	timers?: Timers;
	/** Draws the media; tests may inject a quick one. */
	render?: Render;
	/** Keeps state over restarts in this directory. Default: in memory. */
	data?: string;
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

/** The media code is loaded when the first output is read. */
const draw: Render = async (request) => await (await import('./media')).render(request);

/** Starts the whole service on 127.0.0.1. Rejects when the port is busy or a setting is wrong. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const settings = readSettings(options.settings);
	const kept = await openState(options.data);
	const seed =
		kept?.chooseSeed(options.seed) ?? options.seed ?? Math.floor(Math.random() * 2 ** 31);
	const server = createServer();
	// Uploads may be large, and a connection closed just as a client uses it again looks like a lost
	// answer.
	server.requestTimeout = 0;
	server.keepAliveTimeout = 120_000;
	server.listen(options.port ?? 0, '127.0.0.1');
	await once(server, 'listening').catch(async (error) => {
		await kept?.close();
		throw error;
	});
	const local = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const origin = options.publicUrl ? new URL(options.publicUrl).origin : local;
	// From here on nothing waits, so that no request comes before there is something to answer it.
	const directory = options.data ?? mkdtempSync(join(tmpdir(), 'mediagen-sandbox-'));

	let round = 0;
	const build = () => {
		round += 1;
		return createService({
			seed,
			origin,
			local,
			settings: structuredClone(settings),
			clock: new Clock(settings.clockScale, options.timers ?? realTimers),
			directory: kept ? join(directory, 'files') : join(directory, String(round)),
			kept,
			render: options.render ?? draw,
			report: options.report ?? ((fault) => console.error('sandbox fault:', fault)),
			deliveryCa: options.deliveryCa,
		});
	};
	const reset = async () => {
		service.clock.stop();
		await service.dispatcher.close();
		await kept?.clear();
		service = build();
		app = createApp(service, reset);
	};
	let service = build();
	let app = createApp(service, reset);
	server.on('request', (request, response) => app(request, response));
	await service.committed();

	return {
		baseUrl: `${local}/v1`,
		adminUrl: `${local}/sandbox`,
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
			else await rm(directory, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}

/** The store is loaded only where it is asked for. */
async function openState(directory: string | undefined): Promise<StateDatabase | undefined> {
	return directory === undefined
		? undefined
		: new (await import('./persistence')).StateDatabase(directory);
}

/** The page for people: plain files, no build step. */
const PAGE = join(__dirname, 'page');

/** Written by `npm run openapi` from the schemas that validate requests. */
const DOCUMENT = join(__dirname, '..', 'docs', 'openapi.json');

/** Every resource of the contract. */
const RESOURCES = [
	...[workspace, files, generations, speech, agentRuns, voices, personas, webhooks],
];

/** The whole HTTP surface: the contract under `/v1`, file addresses, and the admin path. */
function createApp(service: Service, reset: () => Promise<void>): Express {
	const app = express();
	app.disable('x-powered-by');
	app.disable('etag');
	app.enable('case sensitive routing');
	app.enable('strict routing');
	app.use(onlyByName(service.links.origin));
	const contract = Router({ caseSensitive: true, strict: true });
	const operation = operations(service, contract);
	for (const routes of RESOURCES) routes(operation, service);
	app.use('/v1', contract);
	storage(service, app);
	app.get('/openapi.json', (_request, response) => response.sendFile(DOCUMENT));
	app.get('/', (_request, response) => response.sendFile(join(PAGE, 'index.html')));
	app.use('/page', serveStatic(PAGE));
	// Browsers ask for it by themselves, also beside a picture that was opened: no client's request.
	app.get('/favicon.ico', (_request, response) => response.sendFile(join(PAGE, 'icon.svg')));
	app.use('/sandbox', onlyFromOwnPage(service.links.origin), admin(service, reset));
	app.use((request, response) => {
		const unknown = new ApiError(404, 'not_found', 'The service has no such address.');
		sendError(service, begin(service, request, response, null), unknown);
	});
	// Express recognises an error handler by its four arguments, used or not.
	// eslint-disable-next-line @typescript-eslint/no-unused-vars
	const failed: ErrorRequestHandler = (error, request, response, _next) => {
		sendError(service, begin(service, request, response, null), asApiError(error));
	};
	app.use(failed);
	return app;
}
