import { ENDPOINTS } from '../contract';
import { fail, ok, type Result } from '../base/result';
import { isRecord, isResource, type ApiRequest } from '../base/types';
import { mustBeList, pageOf } from '../service/pages';
import { inTurn } from './run';
import type { Item } from './item';

/*
 * A new node makes something before its user has met the catalogue: its model is the one that the
 * workspace lists first for the operation. Which one that is the service says when the node runs, in
 * one request for all items, and the output names it.
 */

/** What the field Model holds until somebody chooses one, and how that is shown. */
export const FIRST_MODEL = 'first';
export const FIRST_MODEL_NAME = 'First Model of the Workspace';

export const asksForFirstModel = ({ body }: ApiRequest): boolean =>
	isRecord(body) && body.model === FIRST_MODEL;

/** The request with that model, if it asks for it. */
export const naming = (request: ApiRequest, model: string): ApiRequest =>
	asksForFirstModel(request)
		? { ...request, body: { ...(request.body as object), model } }
		: request;

/** Specification: GET /models. */
async function readFirstModel(item: Item): Promise<Result<string>> {
	const { workspace, host, request } = item;
	const { mode } = request.body as { mode: string };
	const asked: ApiRequest = { method: 'GET', path: ENDPOINTS.listModels.path, query: { mode } };
	const answer = await workspace.client.request(host.channel, asked, { validate: mustBeList });
	if (!answer.ok) return { ...answer, endpoint: ENDPOINTS.listModels };
	const [model] = pageOf(answer.value.body).entries.filter(isResource);
	if (model) return ok(model.id);
	const problem = `is not chosen, and the workspace lists none for ${mode}`;
	return fail({ kind: 'input', field: 'Model', problem, hint: 'Choose a model' });
}

/** The same item with its model: read for the first item of a run, whose items all make the same. */
export async function withFirstModel(item: Item): Promise<Result<Item>> {
	const model = await (item.run.firstModel ??= inTurn(item, readFirstModel));
	return model.ok ? ok({ ...item, request: naming(item.request, model.value) }) : model;
}

/** What a dry run knows of it; nothing where there is no service to ask, or it does not say. */
export async function firstModelForDryRun(item: Item): Promise<string | undefined> {
	if (!item.hasService || !asksForFirstModel(item.request)) return undefined;
	const model = await (item.run.firstModel ??= readFirstModel(item));
	return model.ok ? model.value : undefined;
}
