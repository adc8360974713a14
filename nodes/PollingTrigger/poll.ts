import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { ENDPOINTS } from '../../src/contract';
import { isResource } from '../../src/transport/base/types';
import { openService, type Service } from '../../src/trigger/connection';
import { forgetArrivals, possiblyLost, PROCESS_ID } from './arrivals';
import { knowsAny, findNewlyFinished, type Reader } from './findNewlyFinished';
import { filterOf, itemsOf, nameOf, readerOf } from './reader';
import { MAX_UNFINISHED, withPossiblyLost, workspaceMark, type PollState } from './state';

/**
 * Nodes that are polling right now: n8n starts the next poll even if the previous one is still
 * running.
 */
const polling = new Set<string>();

/**
 * The state to continue from. After a change of key or base URL it is kept only if the service
 * lists something that it knows: otherwise this is another workspace, whose history is not
 * replayed.
 */
async function stateFor(reader: Reader, state: PollState, workspace: string): Promise<PollState> {
	if (state.workspace === undefined || state.workspace === workspace)
		return { ...state, workspace };
	const { entries } = await reader.page(state.start);
	const ids = entries.filter(isResource).map(({ id }) => id);
	return knowsAny(state, ids) ? { ...state, workspace } : { workspace };
}

async function pollOnce(context: IPollFunctions, service: Service, reader: Reader, name: string) {
	const data = context.getWorkflowStaticData('node');
	const workspace = workspaceMark(service.baseUrl, service.apiKey);
	const before = data.state as PollState | undefined;
	const state = await stateFor(
		reader,
		withPossiblyLost(before ?? {}, possiblyLost(name, before ?? {})),
		workspace,
	);
	const { finished, complete, state: nextState } = await findNewlyFinished(reader, state);
	forgetArrivals(name);
	const wanted = finished.filter(filterOf(context));
	const emitted = { by: PROCESS_ID, ids: wanted.map(({ id }) => id).slice(0, MAX_UNFINISHED) };
	const next: PollState = { workspace, ...nextState };
	if (wanted.length > 0) next.emitted = emitted;
	// n8n saves static data after every assignment, so unchanged data is not assigned.
	if (JSON.stringify(before) !== JSON.stringify(next)) data.state = next as unknown as IDataObject;
	if (!complete) {
		context.logger.warn(
			'MediaGen Polling Trigger: more has finished than one poll can read; the oldest may be missing',
		);
	}
	return wanted.length > 0 ? itemsOf(wanted) : null;
}

/** Outputs what has finished since the last poll. */
export async function poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const service = await openService(this);
	service.requireScope(ENDPOINTS.listGenerations.scope);
	const reader = readerOf(this, service);
	const name = nameOf(this);
	if (polling.has(name)) return null;
	polling.add(name);
	try {
		return await pollOnce(this, service, reader, name);
	} finally {
		polling.delete(name);
	}
}
