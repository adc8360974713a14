import type { JobEntity } from '../entities';
import { ApiError } from '../errors';
import type { Handlers } from '../http/operation';
import { agentRunOperations, agentRuns } from './agentRuns';
import { ok } from './collection';
import { fileOperations } from './files';
import { generationOperations, generations } from './generations';
import type { JobKind } from './job';
import { personaOperations, personas } from './personas';
import { speech, speechOperations } from './speech';
import { voiceOperations } from './voices';
import { webhookOperations } from './webhooks';
import { workspaceOperations } from './workspace';

/** All that runs in the background. */
export const JOBS: Array<JobKind<JobEntity & { status: string }>> = [
	generations,
	speech,
	agentRuns,
	personas,
];

/** The code of every operation of the contract. */
export const HANDLERS: Handlers = {
	...workspaceOperations,
	...fileOperations,
	...generationOperations,
	...speechOperations,
	...agentRunOperations,
	...voiceOperations,
	...personaOperations,
	...webhookOperations,
	/** Whichever job an id identifies. Specification: Operation details, GET /jobs/{id}. */
	getJob({ workspace, id }) {
		for (const { tableOf, format } of JOBS) {
			const job = tableOf(workspace).get(id);
			if (job) return ok(format(job, workspace));
		}
		throw new ApiError(404, 'not_found', 'The job was not found in this workspace.');
	},
};
