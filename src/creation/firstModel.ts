import { ENDPOINTS } from '../api';
import { fail, ok, type Result } from '../base/result';
import { isRecord, isResource, type ApiRequest } from '../base/types';
import { mustBeList, pageOf } from '../transport/pages';
import type { Item } from './item';

/*
 * A new node makes something before its user has met the catalogue: its model is the one that the
 * workspace lists first for the operation. Which one that is the service says when the node runs, in
 * one request for all items, and the output names it.
 *
 * What is known of an item does not depend on the answer: another order of the catalogue makes no other
 * request, which would be paid for again. What was sent, and may have been carried out, is sent again with
 * the model that it had. A key does: under one key there is one body.
 */

/** What the field Model holds until somebody chooses one, and how that is shown. */
export const FIRST_MODEL = 'first';
export const FIRST_MODEL_NAME = 'First Model of the Workspace';

export const asksForFirstModel = ({ path, body }: Pick<ApiRequest, 'path' | 'body'>): boolean =>
	path === ENDPOINTS.createGeneration.path && isRecord(body) && body.model === FIRST_MODEL;

/** Specification: GET /models. */
async function readFirstModel(item: Item, mode: unknown): Promise<Result<string>> {
	const { workspace, host, settings } = item;
	const query = { mode: String(mode) };
	const asked: ApiRequest = { method: 'GET', path: ENDPOINTS.listModels.path, query };
	const options = { validate: mustBeList, retry: !settings.dryRun };
	const answer = await workspace.client.request(host.channel, asked, options);
	if (!answer.ok) return { ...answer, endpoint: ENDPOINTS.listModels };
	const [model] = pageOf(answer.value.body).entries.filter(isResource);
	if (model) return ok(model.id);
	const problem = `is not chosen, and the workspace lists none for ${query.mode}`;
	return fail({ kind: 'input', field: 'Model', problem, hint: 'Choose a model' });
}

/**
 * The body of a generation with its model. What the workspace lists first is read by the first item of
 * a run that asks for it.
 */
export async function withFirstModel(item: Item, body: unknown): Promise<Result<unknown>> {
	const { run, workspace, request } = item;
	if (!asksForFirstModel({ path: request.path, body })) return ok(body);
	const { mode } = body as { mode: unknown };
	const { firstModels } = run.cache;
	const known = firstModels.get(workspace) ?? new Map<unknown, Promise<Result<string>>>();
	firstModels.set(workspace, known);
	const reading = known.get(mode) ?? readFirstModel(item, mode);
	known.set(mode, reading);
	const model = await reading;
	return model.ok ? ok({ ...(body as object), model: model.value }) : model;
}
