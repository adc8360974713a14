/* eslint-disable @n8n/community-nodes/require-node-api-error -- not published */
import type { ApproveAgentRun, CreateAgentRun, ReviewDecision } from '../../contract';
import type { AgentRunEntity } from '../state/entities';
import { formatAgentRun } from '../formatters/agentRun';
import { ApiError, invalid } from '../errors';
import { PRICES } from '../credits/prices';
import type { Service } from '../service';
import { checkReference } from '../storage/references';
import type { Workspace } from '../state/store';
import { planCredits, proposePlan } from './agentPlan';
import { addFinal, enqueue } from './agentWork';
import { charge, reserve } from './credits';
import { outcomeOf } from './outcome';

/** Plans a production for one credit and, where that was asked for, approves it at once. */
export function createAgentRun(
	service: Service,
	workspace: Workspace,
	body: CreateAgentRun,
): AgentRunEntity {
	const sources = body.source_images ?? [];
	sources.forEach((address, index) =>
		checkReference(service, workspace, address, `source_images[${index}]`),
	);
	const plan = proposePlan(body);
	const id = service.ids.next('run');
	charge(service, workspace, id, PRICES.agentPlanning);
	service.usage.add(workspace.id, 'agent', PRICES.agentPlanning, 0);
	const entity: AgentRunEntity = {
		id,
		workspace: workspace.id,
		createdAt: workspace.agentRuns.stamp(service.clock.now()),
		dueAt: 0,
		settledAt: null,
		status: 'plan_proposed',
		brief: body.brief,
		sourceImages: sources,
		priority: body.priority ?? 'balanced',
		directionStrategy: body.direction_strategy ?? 'best',
		plan,
		maxCredits: body.max_credits ?? null,
		autoApprovalError: null,
		stepsDone: 0,
		decision: null,
		outputs: [],
		estimatedCredits: planCredits(plan),
		spentCredits: PRICES.agentPlanning,
		outcome: outcomeOf(service, { workspace: workspace.id, text: body.brief, mode: 'agent' }),
		problems: [],
	};
	workspace.agentRuns.put(entity);
	if (body.auto_approve) approveAtOnce(service, workspace, entity);
	return entity;
}

/** The plan stays proposed when the approval cannot be applied. Specification: Errors 3. */
function approveAtOnce(service: Service, workspace: Workspace, entity: AgentRunEntity): void {
	const budget = entity.maxCredits ?? entity.estimatedCredits;
	try {
		if (budget < entity.estimatedCredits) {
			const needed = `The plan needs ${entity.estimatedCredits} credits`;
			throw invalid('max_credits', `${needed}, more than the ${budget} given`);
		}
		approve(service, workspace, entity, { max_credits: budget });
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		entity.autoApprovalError = error.message;
		workspace.agentRuns.put(entity);
	}
}

/** Approves a proposed plan: reserves the whole budget and queues the run. */
export function approve(
	service: Service,
	workspace: Workspace,
	entity: AgentRunEntity,
	body: ApproveAgentRun,
): void {
	if (entity.status !== 'plan_proposed') throw wrongState(entity, 'approved');
	const plan = body.plan ?? entity.plan;
	const credits = planCredits(plan);
	reserve(service, workspace, entity.id, body.max_credits);
	entity.plan = plan;
	entity.estimatedCredits = credits;
	entity.maxCredits = body.max_credits;
	entity.autoApprovalError = null;
	enqueue(service, workspace, entity);
}

/** Passes the review gate: puts the assets together into one piece, or leaves them as they are. */
export function review(
	service: Service,
	workspace: Workspace,
	entity: AgentRunEntity,
	decision: ReviewDecision,
): void {
	if (entity.status !== 'awaiting_review') throw wrongState(entity, 'reviewed');
	entity.decision = decision;
	if (decision === 'assemble') addFinal(service, workspace, entity);
	entity.status = 'completed';
	entity.settledAt = service.clock.now();
	workspace.agentRuns.put(entity);
	service.emit(workspace, 'agent.completed', () => formatAgentRun(service, entity));
}

function wrongState({ status }: AgentRunEntity, what: string): ApiError {
	return new ApiError(400, 'invalid_request', `The run is ${status} and cannot be ${what}.`, {
		status,
	});
}
