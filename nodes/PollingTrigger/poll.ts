import {
	NodeOperationError,
	type IDataObject,
	type INodeExecutionData,
	type IPollFunctions,
} from 'n8n-workflow';
import { ENDPOINTS, LIMITS } from '../../src/contract';
import { jsonOf } from '../../src/transport/items';
import { isRecord, isResource, type Resource } from '../../src/transport/types';
import { listOf } from '../Trigger/options';
import { openService, serviceError, type Service } from '../Trigger/service';
import { knowsAny, look, type Reader } from './look';
import { workspaceMark, type PollState } from './state';
import type { Page } from './walk';

/** Items of a manual run. */
const SAMPLE = 10;

/** Nodes that are looking right now: n8n begins the next look while a long one is still running. */
const looking = new Set<string>();

function readerOf(context: IPollFunctions, { workspace, host }: Service): Reader {
	const { client } = workspace;
	return {
		async page(cursor): Promise<Page> {
			const query = { limit: LIMITS.listLimit.max, ...(cursor !== undefined && { cursor }) };
			const { path } = ENDPOINTS.listGenerations;
			const answer = await client.request(
				host.line,
				{ method: 'GET', path, query },
				{
					flaw: (body) =>
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
			const answer = await client.request(host.line, { method: 'GET', path }, { once: true });
			if (answer.ok) return answer.value.body as Resource;
			const { failure } = answer;
			return failure.kind === 'status' && failure.status === 404 ? 'gone' : undefined;
		},
	};
}

/** What the user wants of the finished ones. */
function filterOf(context: IPollFunctions): (job: Resource) => boolean {
	const statuses = listOf(context.getNodeParameter('statuses', []));
	const { modes, models } = context.getNodeParameter('options', {}) as IDataObject;
	const lists = { status: statuses, mode: listOf(modes), model: listOf(models) };
	return (job) =>
		Object.entries(lists).every(
			([name, wanted]) => wanted.length === 0 || wanted.includes(String(job[name])),
		);
}

const itemsOf = (jobs: Resource[]): INodeExecutionData[][] => [
	jobs.map((job) => ({ json: jsonOf(job) })),
];

/** Some of the newest, so that a workflow can be built; remembers nothing. */
async function sample(context: IPollFunctions, reader: Reader): Promise<INodeExecutionData[][]> {
	const { entries } = await reader.page(undefined);
	const isFinished = ({ status }: Resource) =>
		['completed', 'partially_completed', 'failed'].includes(String(status));
	const found = entries.filter(isResource).filter(isFinished).filter(filterOf(context));
	if (found.length > 0) return itemsOf(found.slice(0, SAMPLE));
	throw new NodeOperationError(context.getNode(), 'No finished generation matches', {
		description:
			'Create one, or change the statuses, modes and models of this node. A published workflow starts by itself as soon as one finishes.',
	});
}

/**
 * The state to go on with. After a change of key or base URL the old one holds only if the service shows what it knows:
 * otherwise it is another workspace, and its history is not replayed.
 */
async function stateFor(reader: Reader, state: PollState, workspace: string): Promise<PollState> {
	if (state.workspace === undefined || state.workspace === workspace)
		return { ...state, workspace };
	const { entries } = await reader.page(state.start);
	const ids = entries.filter(isResource).map(({ id }) => id);
	return knowsAny(state, ids) ? { ...state, workspace } : { workspace };
}

async function lookAround(context: IPollFunctions, service: Service, reader: Reader) {
	const data = context.getWorkflowStaticData('node');
	const workspace = workspaceMark(service.baseUrl, service.apiKey);
	const before = data.state as PollState | undefined;
	const state = await stateFor(reader, before ?? {}, workspace);
	const { finished, complete, state: after } = await look(reader, state);
	const next = { workspace, ...after };
	// Unchanged data is not written, so that n8n saves it only where there is something to save.
	if (JSON.stringify(before) !== JSON.stringify(next)) data.state = next as unknown as IDataObject;
	if (!complete) {
		context.logger.warn(
			'MediaGen Polling Trigger: more has finished than one look can read; the oldest may be missing',
		);
	}
	const wanted = finished.filter(filterOf(context));
	return wanted.length > 0 ? itemsOf(wanted) : null;
}

/** Looks for what has finished since the last look. */
export async function poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const service = await openService(this);
	service.needs(ENDPOINTS.listGenerations.scope);
	const reader = readerOf(this, service);
	if (this.getMode() === 'manual') return await sample(this, reader);
	const name = `${this.getWorkflow().id ?? ''}/${this.getNode().id}`;
	if (looking.has(name)) return null;
	looking.add(name);
	try {
		return await lookAround(this, service, reader);
	} finally {
		looking.delete(name);
	}
}
