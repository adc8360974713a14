import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { ENDPOINTS } from '../../src/contract';
import { isResource } from '../../src/transport/base/types';
import { openService, type Service } from '../../src/trigger/connection';
import { doubtful, ME } from './arrivals';
import { knowsAny, look, type Reader } from './findNewlyFinished';
import { filterOf, itemsOf, nameOf, readerOf } from './reader';
import { MOST_OPEN, withoutDoubt, workspaceMark, type PollState } from './state';

/** Nodes that are looking right now: n8n begins the next look while a long one is still running. */
const looking = new Set<string>();

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

async function lookAround(context: IPollFunctions, service: Service, reader: Reader, name: string) {
	const data = context.getWorkflowStaticData('node');
	const workspace = workspaceMark(service.baseUrl, service.apiKey);
	const before = data.state as PollState | undefined;
	const state = await stateFor(
		reader,
		withoutDoubt(before ?? {}, doubtful(name, before ?? {})),
		workspace,
	);
	const { finished, complete, state: after } = await look(reader, state);
	const wanted = finished.filter(filterOf(context));
	const given = { by: ME, ids: wanted.map(({ id }) => id).slice(0, MOST_OPEN) };
	const next: PollState = { workspace, ...after, ...(wanted.length > 0 && { given }) };
	// Unchanged data is not written, so that n8n saves it only where there is something to save.
	if (JSON.stringify(before) !== JSON.stringify(next)) data.state = next as unknown as IDataObject;
	if (!complete) {
		context.logger.warn(
			'MediaGen Polling Trigger: more has finished than one look can read; the oldest may be missing',
		);
	}
	return wanted.length > 0 ? itemsOf(wanted) : null;
}

/** Looks for what has finished since the last look. */
export async function poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const service = await openService(this);
	service.needs(ENDPOINTS.listGenerations.scope);
	const reader = readerOf(this, service);
	const name = nameOf(this);
	if (looking.has(name)) return null;
	looking.add(name);
	try {
		return await lookAround(this, service, reader, name);
	} finally {
		looking.delete(name);
	}
}
