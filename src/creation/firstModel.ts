import { ENDPOINTS } from '../api';
import { findOnce, getOrCreate } from '../base/maps';
import { fail, ok, type Result } from '../base/result';
import { isResource, type ApiRequest } from '../base/types';
import { mustBeList, pageOf } from '../transport/pages';
import type { Item } from './item';
import { unlessRefusedAlike } from './refusals';

/*
 * A new node makes something before its user has met the catalogue: its model is the one that the
 * workspace lists first for the operation. Which one that is the service says when the node runs, in
 * one request for all items, and the output names it.
 *
 * What is remembered of an item does not depend on that model: otherwise another order of the catalogue would
 * make another request of it, which is paid for again. A request that may have been carried out is sent again
 * with the model that it had. The key depends on the model, because under one key there must be one body.
 */

/** Specification: GET /models. */
async function readFirstModel(item: Item, mode: unknown): Promise<Result<string>> {
	const { workspace, host, settings } = item;
	const query = { mode: String(mode) };
	const request: ApiRequest = { method: 'GET', path: ENDPOINTS.listModels.path, query };
	const options = { validate: mustBeList, retry: !settings.dryRun };
	const answer = await workspace.client.request(host.channel, request, options);
	if (!answer.ok) return { ...answer, endpoint: ENDPOINTS.listModels };
	const [model] = pageOf(answer.value.body).entries.filter(isResource);
	if (model) return ok(model.id);
	const problem = `is not chosen, and the workspace lists none for ${query.mode}`;
	return fail({ kind: 'input', field: 'Model', problem, hint: 'Choose a model' });
}

/**
 * The body of a generation for which no model is chosen, with its model. What the workspace lists first is
 * read by the first item of a run that asks for it.
 */
export async function withFirstModel(item: Item, body: unknown): Promise<Result<unknown>> {
	const { run, settings, workspace } = item;
	const { mode } = body as { mode: unknown };
	const { firstModels } = run.cache;
	const ofWorkspace = getOrCreate(firstModels, workspace, () => new Map());
	const read = async () => await readFirstModel(item, mode);
	const { path } = ENDPOINTS.listModels;
	const send = async () => await unlessRefusedAlike(item, path, read);
	// A dry run does without what could not be read, and asks for it once. What is sent asks for itself, so
	// that this failure does not reach it.
	const hasFailed = (one: Result<string>) =>
		!one.ok && one.failure.kind !== 'input' && !settings.dryRun;
	const key = JSON.stringify([mode, settings.dryRun]);
	const model = await findOnce(ofWorkspace, key, send, hasFailed);
	return model.ok ? ok({ ...(body as object), model: model.value }) : model;
}
