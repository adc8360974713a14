/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { join } from 'path';
import express, {
	Router,
	static as serveStatic,
	type ErrorRequestHandler,
	type Express,
} from 'express';

import { admin } from './admin';
import { onlyByName, onlyFromOwnPage } from './http/access';
import { ApiError, asApiError } from './errors';
import { sendError } from './http/answer';
import { begin } from './http/exchange';
import { operations, type Operation } from './http/operation';
import { agentRuns } from './routes/agentRuns';
import { credits } from './routes/credits';
import { files } from './routes/files';
import { generations } from './routes/generations';
import { jobs } from './routes/jobs';
import { models } from './routes/models';
import { personas } from './routes/personas';
import { speech } from './routes/speech';
import { storage } from './routes/storage';
import { usage } from './routes/usage';
import { voices } from './routes/voices';
import { webhooks } from './routes/webhooks';
import type { Service } from './service';

/** The page for people: plain files, no build step. */
const PAGE = join(__dirname, 'page');

type Routes = (operation: Operation, service: Service) => void;

/** Written by `npm run openapi` from the schemas that validate requests. */
const DOCUMENT = join(__dirname, '..', '..', 'docs', 'openapi.json');

/** Every resource of the contract. */
const RESOURCES: Routes[] = [
	models,
	files,
	generations,
	speech,
	jobs,
	agentRuns,
	voices,
	personas,
	credits,
	usage,
	webhooks,
];

/** The whole HTTP surface: the contract under `/v1`, file addresses, and the admin path. */
export function createApp(service: Service, reset: () => Promise<void>): Express {
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
