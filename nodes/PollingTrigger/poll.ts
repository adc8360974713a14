import type {
	IAllExecuteFunctions,
	IDataObject,
	INodeExecutionData,
	IPollFunctions,
} from 'n8n-workflow';
import { ENDPOINTS, LIMITS } from '../../src/api';
import { verdictOf } from '../../src/trigger/event';
import { filtersOf, chosenNames, parameterOf } from '../../src/trigger/filters';
import { nameInLog } from '../../src/trigger/log';
import { openService, readResource, serviceError, type Service } from '../../src/trigger/service';
import { savedState, saveState } from '../../src/trigger/savedState';
import { fail } from '../../src/base/result';
import type { ApiRequest, Resource } from '../../src/base/types';
import { mustBeList, pageOf } from '../../src/transport/pages';
import { isRefusal, refusalOf } from '../../src/transport/statuses';
import { jsonOf } from '../../src/n8n/rows';
import { findNewlyFinished, type PollState, type Reader } from './findNewlyFinished';

const CANNOT_LIST = 'The generations cannot be listed';

/** Reads generations. Throws a NodeApiError where a page cannot be read. */
export function generationReader(context: IAllExecuteFunctions, service: Service): Reader {
	const endpoint = ENDPOINTS.listGenerations;
	service.requireScope(endpoint.scope);
	return {
		unreadable(problem) {
			const failed = fail({ kind: 'badResponse', status: 200, problem });
			return serviceError(context, failed, endpoint, CANNOT_LIST);
		},
		async page(cursor) {
			const query: ApiRequest['query'] = { limit: LIMITS.listLimit.max };
			if (cursor !== undefined) query.cursor = cursor;
			const request = { method: 'GET', path: endpoint.path, query } as const;
			const answer = await service.send(request, { validate: mustBeList });
			if (!answer.ok) throw serviceError(context, answer, endpoint, CANNOT_LIST);
			return pageOf(answer.value.body);
		},
		async read(id) {
			const answer = await readResource(service, ENDPOINTS.getGeneration, id, { retry: false });
			if (answer.ok) return answer.value;
			// A page of a gateway says nothing about the generation.
			return refusalOf(answer) === 'notFound' && isRefusal(answer) ? 'gone' : undefined;
		},
	};
}

/** As the filters of an event decide. */
export function filterOf(context: IAllExecuteFunctions): (job: Resource) => boolean {
	const statuses = chosenNames(context, 'Statuses', parameterOf(context, 'statuses', []));
	const filters = { ...filtersOf(context), statuses };
	return (resource) =>
		verdictOf({ kind: '', resourceId: resource.id, resource }, filters) === 'wanted';
}

/** What tells generations apart comes first. */
export function itemOf(job: Resource): INodeExecutionData {
	const json = jsonOf(job);
	const first = ['prompt', 'status', 'model', 'mode'].filter((name) => name in json);
	const names = new Set([...first, ...Object.keys(json)]);
	return { json: Object.fromEntries([...names].map((name) => [name, json[name]])) as IDataObject };
}

/** Nodes that are polling: n8n starts a poll even while the previous one is running. */
const polling = new Set<string>();

/** Outputs what has finished since the last poll: once, whatever becomes of the execution. */
export async function poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const service = await openService(this);
	const reader = generationReader(this, service);
	const isWanted = filterOf(this);
	const name = `${this.getWorkflow().id ?? ''}/${this.getNode().id}`;
	if (polling.has(name)) return null;
	polling.add(name);
	try {
		const before = (savedState(this)?.workspaces ?? []) as unknown as PollState[];
		const { account } = service;
		const { finished, complete, states } = await findNewlyFinished(reader, account, before);
		// n8n saves static data after every assignment, so unchanged data is not assigned.
		if (JSON.stringify(before) !== JSON.stringify(states))
			saveState(this, { workspaces: states } as unknown as IDataObject);
		if (!complete)
			this.logger.warn(
				`MediaGen Polling Trigger: ${nameInLog(this)}: more has finished than one poll can read; the oldest may be missing`,
			);
		const items = finished.filter(isWanted).map(itemOf);
		return items.length > 0 ? [items] : null;
	} finally {
		polling.delete(name);
	}
}
