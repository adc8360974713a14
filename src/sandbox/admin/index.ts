import { json, Router, type ErrorRequestHandler, type Response } from 'express';
import { z, ZodError } from 'zod/v4';

import { SCOPES } from '../../contract';
import type { DeliveryEntity } from '../state/entities';
import type { Service } from '../service';
import { patchSettings } from '../state/settings';
import { listKeys } from '../seedKeys';

import { forms } from './forms';
import { showOutput } from './outputs';
import { overview } from './overview';

const creditsSchema = z.strictObject({
	workspace: z.string(),
	amount: z.number().int().min(-1e12).max(1e12),
});

const workspaceSchema = z.strictObject({ entitled: z.boolean().optional() });

const keySchema = z.strictObject({
	key: z.string().regex(/^[\x21-\x7e]+$/),
	workspace: z.string().min(1),
	scopes: z.array(z.enum(SCOPES)),
});

class NoSuchWorkspace extends Error {}

/**
 * The admin path: JSON, no key, never under the contract's addresses. It is fiction of the sandbox.
 */
export function admin(service: Service, reset: () => Promise<void>): Router {
	const router = Router();
	router.use(json({ limit: '1mb' }));
	const known = (id: string) => {
		const workspace = service.store.workspaces.get(id);
		if (!workspace) throw new NoSuchWorkspace(`There is no workspace ${id}.`);
		return workspace;
	};

	router.post('/reset', async (_request, response) => {
		await reset();
		response.json({ reset: true });
	});
	router.get('/settings', (_request, response) => response.json(service.settings));
	router.patch('/settings', (request, response) => {
		const settings = patchSettings(service.settings, request.body ?? {});
		if (settings.clockScale !== service.clock.scale) service.clock.rescale(settings.clockScale);
		Object.assign(service.settings, settings);
		response.json(settings);
	});
	router.get('/faults', (_request, response) => response.json({ rules: service.faults.list() }));
	router.put('/faults', (request, response) => {
		service.faults.replace(request.body ?? {});
		response.json({ rules: service.faults.list() });
	});
	router.post('/credits', (request, response) => {
		const { workspace, amount } = creditsSchema.parse(request.body);
		service.ledger.grant(known(workspace).id, amount);
		response.json(service.ledger.balance(workspace));
	});
	router.get('/ledger', (request, response) => {
		const { workspace } = request.query;
		const id = typeof workspace === 'string' ? known(workspace).id : undefined;
		const lines = service.ledger.read(id);
		response.json({ ...(id && { balance: service.ledger.balance(id) }), lines });
	});
	router.get('/requests', (_request, response) => response.json({ data: service.requests.list() }));
	router.get('/deliveries', (_request, response) => {
		response.json({ data: allDeliveries(service) });
	});
	router.get('/overview', (_request, response) => void response.json(overview(service)));
	router.get('/forms', (_request, response) => void response.json(forms()));
	router.get('/outputs/:name', async (request, response) => {
		await showOutput(service, request.params.name, response);
	});
	router.get('/keys', (_request, response) => response.json({ data: listKeys(service) }));
	router.post('/keys', (request, response) => {
		const key = keySchema.parse(request.body);
		const exists = service.store.workspaces.has(key.workspace);
		if (!exists) service.store.addWorkspace({ id: key.workspace, entitled: true, liteCarry: 0 });
		service.store.addKey(key);
		response.status(201).json({ data: listKeys(service) });
	});
	router.patch('/workspaces/:id', (request, response) => {
		const workspace = known(request.params.id);
		Object.assign(workspace.entity, workspaceSchema.parse(request.body));
		workspace.save();
		response.json(workspace.entity);
	});
	router.use(refused);
	return router;
}

/** Every attempt of all workspaces with its raw body, oldest first; also of deleted webhooks. */
function allDeliveries({ store }: Service): DeliveryEntity[] {
	const tables = [...store.workspaces.values()].flatMap(({ deliveries }) => [
		...deliveries.values(),
	]);
	return tables.flatMap((table) => table.all()).sort((a, b) => a.createdAt - b.createdAt);
}

const refused: ErrorRequestHandler = (error: unknown, _request, response: Response, next) => {
	if (error instanceof ZodError) {
		const message = z.prettifyError(error);
		return void response.status(400).json({ error: { type: 'invalid_request', message } });
	}
	if (error instanceof NoSuchWorkspace) {
		return void response.status(404).json({ error: { type: 'not_found', message: error.message } });
	}
	next(error);
};
