/* eslint-disable @n8n/community-nodes/require-node-api-error -- not published */
import { z } from 'zod/v4';

import { LIMITS, type ReviewDecision } from '../../src/contract';
import type { AgentPlan, AgentRun } from '../bodies';
import { PRICES } from '../credits/prices';
import type { AgentRunEntity } from '../entities';
import { ApiError, found, invalid } from '../errors';
import type { Operation } from '../http/operation';
import type { MediaKind } from '../media/types';
import type { ApproveAgentRun, CreateAgentRun } from '../schemas';
import type { Service } from '../service';
import { MEDIA_FORMATS } from '../storage/links';
import { checkReference } from '../storage/references';
import type { Workspace } from '../store';
import { ok, dueAt, errorFields, listAll, newJob, publicUrl, publish, recipeOf } from './job';

export function agentRuns(operation: Operation, service: Service): void {
	const format = (entity: AgentRunEntity) => formatAgentRun(service, entity);
	const find = (workspace: Workspace, id: string) =>
		found(workspace.agentRuns.get(id), 'The agent run');

	operation('createAgentRun', ({ workspace, body }) => {
		const entity = createAgentRun(service, workspace, body);
		return { status: entity.status === 'plan_proposed' ? 201 : 202, body: format(entity) };
	});

	operation('listAgentRuns', ({ workspace, query }) =>
		ok(listAll(service, workspace.agentRuns, query, format)),
	);

	operation('getAgentRun', ({ workspace, id }) => ok(format(find(workspace, id))));

	operation('approveAgentRun', ({ workspace, id, body }) => {
		const entity = find(workspace, id);
		approve(service, workspace, entity, body);
		return { status: 202, body: format(entity) };
	});

	operation('reviewAgentRun', ({ workspace, id, body }) => {
		const entity = find(workspace, id);
		review(service, workspace, entity, body.decision);
		return ok(format(entity));
	});
}

/** An agent run as it goes over the wire. Open point 3: status values and outputs are fiction. */
export function formatAgentRun(service: Service, entity: AgentRunEntity): AgentRun {
	const { id, status, plan, maxCredits, autoApprovalError } = entity;
	return {
		id,
		object: 'agent_run',
		status: service.settings.agentStatusNames[status] ?? status,
		plan,
		estimated_credits: entity.estimatedCredits,
		max_credits: maxCredits ?? undefined,
		reserved_credits: service.ledger.held(entity.workspace, id),
		spent_credits: entity.spentCredits,
		auto_approval_error: autoApprovalError ?? undefined,
		outputs: entity.outputs.map((output, index) => {
			const kind = kindOf(entity, index);
			const media_type = MEDIA_FORMATS[kind].mediaType;
			return { id: output, kind, media_type, url: publicUrl(service, output, kind) };
		}),
		...errorFields(entity.problems),
	};
}

/** A step of a plan; open point 3: the structure is fiction. Other fields are preserved. */
const planSchema = z.looseObject({
	steps: z
		.array(
			z.looseObject({
				id: z.string().min(1),
				kind: z.enum(['image', 'video', 'music', 'speech']),
				prompt: z.string().min(1).max(10_000),
				estimated_credits: z.number().int().min(0),
			}),
		)
		.min(1)
		.max(50),
});

type PlanStep = z.infer<typeof planSchema>['steps'][number];

const STEPS = { image: 'Key visual', video: 'Main scene', music: 'Score', speech: 'Narration' };

/** How a priority changes what a step costs. */
const FACTORS = { quality: 1.5, balanced: 1, cost: 0.5, speed: 1 } as const;

/** Proposes a plan for a brief; several directions mean several key visuals. */
function proposePlan(body: CreateAgentRun): AgentPlan {
	const factor = FACTORS[body.priority ?? 'balanced'];
	const more = body.direction_strategy === 'multiple' ? (['image', 'image'] as const) : [];
	const kinds = [...more, ...(Object.keys(STEPS) as Array<keyof typeof STEPS>)];
	const steps = kinds.map((kind, index) => ({
		id: `step_${index + 1}`,
		kind,
		prompt: `${STEPS[kind]}: ${body.brief}`.slice(0, 10_000),
		estimated_credits: Math.ceil(PRICES.agentStep[kind] * factor),
	}));
	return { title: body.brief.slice(0, 80), steps };
}

/** The steps of a plan that may have been edited. 400 when they cannot be carried out. */
function readSteps(plan: AgentPlan): PlanStep[] {
	const read = planSchema.safeParse(plan);
	if (read.success) return read.data.steps;
	const { path = [], message = 'is wrong' } = read.error.issues[0] ?? {};
	throw invalid(['plan', ...path.map(String)].join('.'), message);
}

const planCredits = (plan: AgentPlan) =>
	readSteps(plan).reduce((sum, step) => sum + step.estimated_credits, 0);

/** What an output is: that of its step, or the piece into which all are put together. */
const kindOf = ({ plan }: AgentRunEntity, index: number): MediaKind =>
	readSteps(plan)[index]?.kind ?? 'video';

/** Plans a production for one credit and, where that was asked for, approves it at once. */
function createAgentRun(
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
	service.ledger.charge(workspace.id, id, PRICES.agentPlanning);
	service.usage.add(workspace.id, 'agent', PRICES.agentPlanning, 0);
	const subject = { workspace: workspace.id, text: body.brief, mode: 'agent' };
	const entity: AgentRunEntity = {
		...newJob(service, 'agentStep', { id, table: workspace.agentRuns, subject }),
		status: 'plan_proposed',
		brief: body.brief,
		sourceImages: sources,
		plan,
		maxCredits: body.max_credits ?? null,
		autoApprovalError: null,
		stepsDone: 0,
		estimatedCredits: planCredits(plan),
		spentCredits: PRICES.agentPlanning,
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
function approve(
	service: Service,
	workspace: Workspace,
	entity: AgentRunEntity,
	body: ApproveAgentRun,
): void {
	if (entity.status !== 'plan_proposed') throw wrongState(entity, 'approved');
	const plan = body.plan ?? entity.plan;
	const estimatedCredits = planCredits(plan);
	service.ledger.reserve(workspace.id, entity.id, body.max_credits);
	const maxCredits = body.max_credits;
	Object.assign(entity, { plan, estimatedCredits, maxCredits, autoApprovalError: null });
	enqueue(service, workspace, entity);
}

/** Passes the review gate: puts the assets together into one piece, or leaves them as they are. */
function review(
	service: Service,
	workspace: Workspace,
	entity: AgentRunEntity,
	decision: ReviewDecision,
): void {
	if (entity.status !== 'awaiting_review') throw wrongState(entity, 'reviewed');
	if (decision === 'assemble') addOutput(service, workspace, entity);
	entity.status = 'completed';
	entity.settledAt = service.clock.now();
	workspace.agentRuns.put(entity);
	service.dispatcher.emit(workspace, 'agent.completed', () => formatAgentRun(service, entity));
}

function wrongState({ status }: AgentRunEntity, what: string): ApiError {
	const message = `The run is ${status} and cannot be ${what}.`;
	return new ApiError(400, 'invalid_request', message, { status });
}

/** Starts an approved run, or lets it wait while another one of the workspace is live. */
function enqueue(service: Service, workspace: Workspace, entity: AgentRunEntity): void {
	const busy = workspace.liveRuns.size >= LIMITS.liveAgentRuns;
	entity.status = busy ? 'waiting' : 'queued';
	entity.dueAt = dueAt(service, 'agentStep', `${entity.id}:start`);
	workspace.agentRuns.put(entity);
	if (busy) workspace.waitingRuns.push(entity.id);
	else watchRun(service, workspace, entity);
}

/** Continues a live run from its current state; also after a restart. */
export function watchRun(service: Service, workspace: Workspace, entity: AgentRunEntity): void {
	workspace.liveRuns.add(entity.id);
	service.clock.at(entity.dueAt, () => advance(service, workspace, entity));
}

/** One step is done at a time: queued -> running -> … -> the review gate, or failure. */
function advance(service: Service, workspace: Workspace, entity: AgentRunEntity): void {
	const steps = readSteps(entity.plan);
	const step = entity.status === 'queued' ? undefined : steps[entity.stepsDone];
	entity.status = 'running';
	if (step && !makeStep(service, workspace, entity, step)) {
		return end(service, workspace, entity, 'failed');
	}
	if (entity.stepsDone >= steps.length) {
		return end(service, workspace, entity, 'awaiting_review');
	}
	entity.dueAt = dueAt(service, 'agentStep', `${entity.id}:${entity.stepsDone}`);
	workspace.agentRuns.put(entity);
	watchRun(service, workspace, entity);
}

/** False where the step fails: its run was to fail at its last step, or the budget is used up. */
function makeStep(
	service: Service,
	workspace: Workspace,
	entity: AgentRunEntity,
	{ id, estimated_credits: cost }: PlanStep,
): boolean {
	const isLast = entity.stepsDone === readSteps(entity.plan).length - 1;
	if (entity.outcome === 'fail' && isLast) {
		entity.problems = [{ type: 'step_failed', message: `The step ${id} failed.` }];
		return false;
	}
	if (cost > service.ledger.held(workspace.id, entity.id)) {
		const message = `The budget of ${entity.maxCredits} credits is used up.`;
		entity.problems = [{ type: 'budget_exhausted', message }];
		return false;
	}
	service.ledger.spend(workspace.id, entity.id, cost);
	entity.spentCredits += cost;
	entity.stepsDone += 1;
	addOutput(service, workspace, entity);
	return true;
}

/** Makes the asset of the next step or, after the last one, the whole piece. */
function addOutput(service: Service, workspace: Workspace, entity: AgentRunEntity): void {
	const index = entity.outputs.length;
	const prompt = readSteps(entity.plan)[index]?.prompt ?? entity.brief;
	const references = entity.sourceImages;
	const recipe = { ...recipeOf(service, entity.id, prompt, index), references };
	const id = service.ids.next('out');
	publish(service, workspace, { id, kind: kindOf(entity, index), recipe });
	entity.outputs.push(id);
}

function end(
	service: Service,
	workspace: Workspace,
	entity: AgentRunEntity,
	status: 'awaiting_review' | 'failed',
): void {
	service.ledger.settle(workspace.id, entity.id, 0);
	const spent = entity.spentCredits - PRICES.agentPlanning;
	service.usage.add(workspace.id, 'agent', spent, entity.outputs.length, 0);
	entity.status = status;
	entity.settledAt = status === 'failed' ? service.clock.now() : null;
	workspace.agentRuns.put(entity);
	workspace.liveRuns.delete(entity.id);
	const event = status === 'failed' ? 'agent.failed' : 'agent.review_required';
	service.dispatcher.emit(workspace, event, () => formatAgentRun(service, entity));
	const next = workspace.agentRuns.get(workspace.waitingRuns.shift() ?? '');
	if (next) enqueue(service, workspace, next);
}
