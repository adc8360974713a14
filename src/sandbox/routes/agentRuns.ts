import { approve, createAgentRun, review } from '../engine/agentRuns';
import type { AgentRunEntity } from '../state/entities';
import { formatAgentRun } from '../formatters/agentRun';
import { listAll } from '../formatters/list';
import { notFound } from '../errors';
import type { Operation } from '../http/operation';
import {
	approveAgentRunSchema,
	createAgentRunSchema,
	reviewAgentRunSchema,
} from '../schemas/agentRun';
import { listQuery } from '../schemas/list';
import type { Service } from '../service';
import type { Workspace } from '../state/store';

export function agentRuns(operation: Operation, service: Service): void {
	const format = (entity: AgentRunEntity) => formatAgentRun(service, entity);

	operation('createAgentRun', { body: createAgentRunSchema }, ({ workspace, body }) => {
		const entity = createAgentRun(service, workspace, body);
		const status = entity.status === 'plan_proposed' ? 201 : 202;
		return { status, body: format(entity) };
	});

	operation('listAgentRuns', { query: listQuery }, ({ workspace, query }) => ({
		status: 200,
		body: listAll(workspace.agentRuns, query, service.settings, format),
	}));

	operation('getAgentRun', {}, ({ workspace, id }) => ({
		status: 200,
		body: format(find(workspace, id)),
	}));

	operation('approveAgentRun', { body: approveAgentRunSchema }, ({ workspace, id, body }) => {
		const entity = find(workspace, id);
		approve(service, workspace, entity, body);
		return { status: 202, body: format(entity) };
	});

	operation('reviewAgentRun', { body: reviewAgentRunSchema }, ({ workspace, id, body }) => {
		const entity = find(workspace, id);
		review(service, workspace, entity, body.decision);
		return { status: 200, body: format(entity) };
	});
}

function find(workspace: Workspace, id: string): AgentRunEntity {
	const entity = workspace.agentRuns.get(id);
	if (!entity) throw notFound('The agent run');
	return entity;
}
