import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IPollFunctions,
} from 'n8n-workflow';
import { ENDPOINTS, LIMITS } from '../../src/contract';
import { jsonOf } from '../../src/transport/runner/items';
import { asText, isRecord, type Resource } from '../../src/transport/base/types';
import { listOf, parameterOf } from '../../src/trigger/options';
import { serviceError, type Service } from '../../src/trigger/connection';
import type { Reader } from './findNewlyFinished';
import type { Page } from './walk';

/** A look in the background, or the execution that it has started. */
type Context = IPollFunctions | IExecuteFunctions;

/** Names a node of all workflows. */
export const nameOf = (context: Context): string =>
	`${context.getWorkflow().id ?? ''}/${context.getNode().id}`;

/** Reads generations for a node. Throws a NodeApiError where a page cannot be read. */
export function readerOf(context: Context, { workspace, host }: Service): Reader {
	const { client } = workspace;
	return {
		async page(cursor): Promise<Page> {
			const query = { limit: LIMITS.listLimit.max, ...(cursor !== undefined && { cursor }) };
			const { path } = ENDPOINTS.listGenerations;
			const answer = await client.request(
				host.channel,
				{ method: 'GET', path, query },
				{
					validate: (body) =>
						isRecord(body) && Array.isArray(body.data) ? undefined : 'it is no list',
				},
			);
			if (!answer.ok) {
				throw serviceError(
					context,
					answer,
					ENDPOINTS.listGenerations,
					'The generations cannot be listed',
				);
			}
			const { data, has_more, next_cursor } = answer.value.body as Record<string, unknown>;
			const next = has_more !== false && typeof next_cursor === 'string' ? next_cursor : '';
			return { entries: data as unknown[], ...(next !== '' && { next }) };
		},
		async one(id) {
			const path = ENDPOINTS.getGeneration.path.replace('{id}', encodeURIComponent(id));
			const answer = await client.request(host.channel, { method: 'GET', path }, { once: true });
			if (answer.ok) return answer.value.body as Resource;
			const { failure } = answer;
			return failure.kind === 'status' && failure.status === 404 ? 'gone' : undefined;
		},
	};
}

/** What the user wants of the finished ones. */
export function filterOf(context: Context): (job: Resource) => boolean {
	const statuses = listOf(parameterOf(context, 'statuses', []));
	const { modes, models } = parameterOf(context, 'options', {}) as IDataObject;
	const lists = { status: statuses, mode: listOf(modes), model: listOf(models) };
	return (job) =>
		Object.entries(lists).every(
			([name, wanted]) => wanted.length === 0 || wanted.includes(asText(job[name])),
		);
}

/** One item for each generation, in one output. */
export const itemsOf = (jobs: Resource[]): INodeExecutionData[][] => [
	jobs.map((job) => ({ json: jsonOf(job) })),
];
