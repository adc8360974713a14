import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { ENDPOINTS } from '../../contract';
import { isRecord, type Resource } from '../../transport/base/types';
import { joined } from './names';
import { searchList, type Listing } from './searchList';

/**
 * A run has no name of its own; the plan has one if it is as free as the specification leaves it.
 */
function nameOf({ id, status, plan }: Resource): string {
	return joined(isRecord(plan) ? plan.title : undefined, status, id);
}

const agentRuns: Listing = {
	endpoint: ENDPOINTS.listAgentRuns,
	nameOf,
	empty: 'No agent runs yet: make one with the operation Create',
};

/** The agent runs of the workspace. */
export async function searchAgentRuns(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	return await searchList(this, agentRuns, { filter, cursor });
}
