import { json, Router } from 'express';
import { z } from 'zod/v4';

import { ENDPOINTS, EVENTS, SCOPES } from '../src/api';
import { listKeys } from './createService';
import { ApiError, found } from './errors';
import { FAULT_NAMES, SCENES, STORAGE } from './faults';
import { validate } from './http/validate';
import { deliveriesOf, overview } from './overview';
import { sendFile } from './resources/files';
import type { Service } from './service';
import { patchSettings, SETTING_NOTES, settingsSchema } from './settings';
import { MEDIA_FORMATS } from './storage/links';
import { drawOutput, idIn } from './storage/references';

/** More than any job costs, and far from what numbers can no longer count. */
const MOST_CREDITS = 1e12;

const creditsSchema = z.strictObject({
	workspace: z.string(),
	amount: z.int().min(-MOST_CREDITS).max(MOST_CREDITS),
});

const workspaceSchema = z.strictObject({ entitled: z.boolean().optional() });

const keySchema = z.strictObject({
	key: z.string().regex(/^[\x21-\x7e]{1,200}$/, {
		error: 'must be 1 to 200 visible ASCII characters',
	}),
	workspace: z.string().regex(/^[\w.-]{1,80}$/, {
		error: 'must be 1 to 80 letters, digits, dots, hyphens or underscores',
	}),
	scopes: z.array(z.enum(SCOPES)),
});

/** Words that must all occur in what is shown. */
const overviewQuery = z.strictObject({ search: z.string().max(200).default('') });

const ledgerQuery = z.strictObject({ workspace: z.string().optional() });

/**
 * The admin path: JSON, no key, never under the contract's addresses. It is fiction of the sandbox.
 */
export function admin(service: Service, reset: () => Promise<void>): Router {
	const { store, ledger, faults, requests, clock } = service;
	const router = Router();
	router.use(json({ limit: '1mb' }));
	const known = (id: string) => {
		const workspace = store.workspaces.get(id);
		if (workspace) return workspace;
		throw new ApiError(404, 'not_found', `There is no workspace ${id}.`);
	};

	router.post('/reset', async (_request, response) => {
		await reset();
		response.json({ reset: true });
	});
	router.get('/settings', (_request, response) => response.json(service.settings));
	router.patch('/settings', (request, response) => {
		const settings = patchSettings(service.settings, request.body);
		if (settings.clockScale !== clock.scale) clock.rescale(settings.clockScale);
		response.json(Object.assign(service.settings, settings));
	});
	router.get('/faults', (_request, response) => response.json({ rules: faults.list() }));
	router.put('/faults', (request, response) => {
		faults.replace(request.body);
		response.json({ rules: faults.list() });
	});
	router.post('/credits', (request, response) => {
		const { workspace, amount } = validate(creditsSchema, request.body);
		const toppedUp = known(workspace);
		ledger.grant(workspace, amount);
		// Specification: What the service does: any successful top-up gives access.
		if (amount > 0) {
			toppedUp.entity.entitled = true;
			toppedUp.save();
		}
		response.json(ledger.balance(workspace));
	});
	router.get('/ledger', (request, response) => {
		const { workspace } = validate(ledgerQuery, { ...request.query }, 'query');
		const id = workspace === undefined ? undefined : known(workspace).id;
		response.json({ ...(id && { balance: ledger.balance(id) }), lines: ledger.read(id) });
	});
	router.get('/requests', (_request, response) => response.json({ data: requests.list() }));
	router.get('/deliveries', (_request, response) =>
		response.json({ data: deliveriesOf(service).reverse() }),
	);
	router.get('/overview', (request, response) => {
		const { search } = validate(overviewQuery, { ...request.query }, 'query');
		response.json(overview(service, search));
	});
	router.get('/forms', (_request, response) => void response.json(forms()));
	router.get('/outputs/:name', async (request, response) => {
		const output = found(
			store.find(({ outputs }) => outputs, idIn(request.params.name)),
			'The output',
		);
		const { path } = await drawOutput(service, output);
		await sendFile(response, path, MEDIA_FORMATS[output.kind].mediaType);
	});
	router.get('/keys', (_request, response) => response.json({ data: listKeys(service) }));
	router.post('/keys', (request, response) => {
		const key = validate(keySchema, request.body);
		const exists = store.workspaces.has(key.workspace);
		if (!exists) store.addWorkspace({ id: key.workspace, entitled: true, liteCarry: 0 });
		store.addKey(key);
		response.status(201).json({ data: listKeys(service) });
	});
	router.patch('/workspaces/:id', (request, response) => {
		const workspace = known(request.params.id);
		Object.assign(workspace.entity, validate(workspaceSchema, request.body));
		workspace.save();
		response.json(workspace.entity);
	});
	return router;
}

/** What the page makes its forms from: the schema that judges what they send, and words. */
function forms(): object {
	const schema = z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' });
	return {
		settings: { schema, notes: SETTING_NOTES },
		faults: {
			scenes: SCENES,
			names: FAULT_NAMES,
			operations: Object.keys(ENDPOINTS),
			storage: STORAGE,
			events: EVENTS,
		},
	};
}
