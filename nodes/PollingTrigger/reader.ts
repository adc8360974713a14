import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IPollFunctions,
} from 'n8n-workflow';
import { ENDPOINTS, LIMITS } from '../../src/contract';
import { jsonOf } from '../../src/transport/run/items';
import {
	asText,
	resourceWithId,
	type ApiRequest,
	type Resource,
} from '../../src/transport/base/types';
import { listOf } from '../../src/transport/base/values';
import { mustBeList, pageOf, type Page } from '../../src/transport/http/pages';
import { isNotFound } from '../../src/transport/jobs/readJob';
import { parameterOf } from '../../src/trigger/options';
import { serviceError, type Service } from '../../src/trigger/connection';
import type { Reader } from './findNewlyFinished';

/** A poll in the background, or the execution that it has started. */
type Context = IPollFunctions | IExecuteFunctions;

/** Identifies a node across all workflows. */
export const nameOf = (context: Context): string =>
	`${context.getWorkflow().id ?? ''}/${context.getNode().id}`;

/** Reads generations for a node. Throws a NodeApiError where a page cannot be read. */
export function readerOf(context: Context, { workspace, host }: Service): Reader {
	const { client } = workspace;
	return {
		async page(cursor): Promise<Page> {
			const query: ApiRequest['query'] = { limit: LIMITS.listLimit.max };
			if (cursor !== undefined) query.cursor = cursor;
			const { path } = ENDPOINTS.listGenerations;
			const answer = await client.request(
				host.channel,
				{ method: 'GET', path, query },
				{ validate: mustBeList },
			);
			if (!answer.ok) {
				throw serviceError(
					context,
					answer,
					ENDPOINTS.listGenerations,
					'The generations cannot be listed',
				);
			}
			return pageOf(answer.value.body);
		},
		async read(id) {
			const path = ENDPOINTS.getGeneration.path.replace('{id}', encodeURIComponent(id));
			const answer = await client.request(host.channel, { method: 'GET', path }, { retry: false });
			if (answer.ok) return resourceWithId(answer.value.body, id);
			return isNotFound(answer) ? 'gone' : undefined;
		},
	};
}

/** Whether the user wants a finished generation. */
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
