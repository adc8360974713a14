/* eslint-disable @n8n/community-nodes/require-node-api-error -- not published */
import { z } from 'zod/v4';

import { LIMITS, type ReviewDecision } from '../../src/api';
import { PRICES } from '../credits/prices';
import type { AgentRunEntity } from '../entities';
import { ApiError, invalid } from '../errors';
import type { Handlers } from '../http/operation';
import type { MediaKind } from '../media/types';
import { validate } from '../http/validate';
import { planSchema, type AgentPlan, type Given } from '../schemas';
import { MEDIA_FORMATS } from '../storage/links';
import { checkReferences } from '../storage/references';
import type { Workspace } from '../store';
import { collection, ok } from './collection';
import {
	announce,
	dueAt,
	errorFields,
	newJob,
	publicUrl,
	publish,
	recipeOf,
	schedule,
	statusOf,
	type JobKind,
} from './job';

export const agentRuns = {
	...collection('agent_run', (workspace) => workspace.agentRuns, formatAgentRun),
	describe: ({ brief }) => ({ kind: 'agent', text: brief }),
	advance,
} satisfies JobKind<AgentRunEntity>;

export const agentRunOperations = {
	createAgentRun({ workspace, body }) {
		const entity = createAgentRun(workspace, body);
		const status = entity.status === 'plan_proposed' ? 201 : 202;
		return { status, body: formatAgentRun(entity, workspace) };
	},
	listAgentRuns: agentRuns.list,
	getAgentRun: agentRuns.get,
	approveAgentRun({ workspace, id, body }) {
		const entity = agentRuns.find({ workspace, id });
		approve(workspace, entity, body);
		return { status: 202, body: formatAgentRun(entity, workspace) };
	},
	reviewAgentRun({ workspace, id, body }) {
		const entity = agentRuns.find({ workspace, id });
		review(workspace, entity, body.decision);
		return ok(formatAgentRun(entity, workspace));
	},
} satisfies Partial<Handlers>;

const isLive = ({ status }: AgentRunEntity) => status === 'queued' || status === 'running';

/** An agent run as it goes over the wire. Open point 3: status values and outputs are fiction. */
function formatAgentRun(entity: AgentRunEntity, workspace: Workspace) {
	const { id, plan, maxCredits, autoApprovalError } = entity;
	const { settings, ledger } = workspace.service;
	return {
		id,
		object: 'agent_run',
		status: statusOf(entity, settings.agentStatusNames[entity.status]),
		plan,
		estimated_credits: entity.estimatedCredits,
		max_credits: maxCredits ?? undefined,
		reserved_credits: ledger.held(workspace.id, id),
		spent_credits: entity.spentCredits,
		auto_approval_error: autoApprovalError ?? undefined,
		outputs: entity.outputs.map((output, index) => {
			const kind = kindOf(entity, index);
			const media_type = MEDIA_FORMATS[kind].mediaType;
			return { id: output, kind, media_type, url: publicUrl(workspace, output, kind) };
		}),
		...errorFields(entity.problems),
	};
}

const STEPS = { image: 'Key visual', video: 'Main scene', music: 'Score', speech: 'Narration' };

/** How a priority changes what a step costs. */
const FACTORS = { quality: 1.5, balanced: 1, cost: 0.5, speed: 1 } as const;

/** Proposes a plan for a brief; several directions mean several key visuals. */
function proposePlan(body: Given<'createAgentRun'>): AgentPlan {
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

const creditsOf = ({ steps }: AgentPlan) =>
	steps.reduce((sum, step) => sum + step.estimated_credits, 0);

/** What an output is: that of its step, or the piece into which all are put together. */
const kindOf = ({ plan }: AgentRunEntity, index: number): MediaKind =>
	plan.steps[index]?.kind ?? 'video';

/** Plans a production for one credit and, where that was asked for, approves it at once. */
function createAgentRun(workspace: Workspace, body: Given<'createAgentRun'>): AgentRunEntity {
	const { ids, ledger, usage } = workspace.service;
	const sources = body.source_images ?? [];
	checkReferences(workspace, sources, 'source_images');
	const plan = proposePlan(body);
	const id = ids.next('run');
	ledger.charge(workspace.id, id, PRICES.agentPlanning);
	usage.add(workspace.id, 'agent', PRICES.agentPlanning, 0);
	const about = { pace: 'agentStep', text: body.brief, mode: 'agent' } as const;
	const entity: AgentRunEntity = {
		...newJob(workspace, id, { table: workspace.agentRuns, ...about }),
		dueAt: null,
		status: 'plan_proposed',
		brief: body.brief,
		sourceImages: sources,
		plan,
		maxCredits: body.max_credits ?? null,
		autoApprovalError: null,
		estimatedCredits: creditsOf(plan),
		spentCredits: PRICES.agentPlanning,
	};
	workspace.agentRuns.put(entity);
	if (body.auto_approve) approveAtOnce(workspace, entity);
	return entity;
}

/** The plan stays proposed when the approval cannot be applied. Specification: Errors 3. */
function approveAtOnce(workspace: Workspace, entity: AgentRunEntity): void {
	const budget = entity.maxCredits ?? entity.estimatedCredits;
	try {
		if (budget < entity.estimatedCredits) {
			const needed = `The plan needs ${entity.estimatedCredits} credits`;
			throw invalid('max_credits', `${needed}, more than the ${budget} given`);
		}
		approve(workspace, entity, { max_credits: budget });
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		entity.autoApprovalError = error.message;
		workspace.agentRuns.put(entity);
	}
}

/** Approves a proposed plan: reserves the whole budget and queues the run. */
function approve(
	workspace: Workspace,
	entity: AgentRunEntity,
	body: Given<'approveAgentRun'>,
): void {
	if (entity.status !== 'plan_proposed') throw wrongState(entity, 'approved');
	const given = body.plan ?? entity.plan;
	const { plan } = validate(z.object({ plan: planSchema }), { plan: given });
	const estimatedCredits = creditsOf(plan);
	workspace.service.ledger.reserve(workspace.id, entity.id, body.max_credits);
	const maxCredits = body.max_credits;
	Object.assign(entity, { plan, estimatedCredits, maxCredits, autoApprovalError: null });
	enqueue(workspace, entity);
}

/** Passes the review gate: puts the assets together into one piece, or leaves them as they are. */
function review(workspace: Workspace, entity: AgentRunEntity, decision: ReviewDecision): void {
	const { clock } = workspace.service;
	if (entity.status !== 'awaiting_review') throw wrongState(entity, 'reviewed');
	if (decision === 'assemble') addOutput(workspace, entity);
	entity.status = 'completed';
	entity.settledAt = clock.now();
	workspace.agentRuns.put(entity);
	announce(workspace, entity, 'agent.completed', formatAgentRun(entity, workspace));
}

function wrongState({ status }: AgentRunEntity, what: string): ApiError {
	const message = `The run is ${status} and cannot be ${what}.`;
	return new ApiError(400, 'invalid_request', message, { status });
}

/** Starts an approved run, or lets it wait while another one of the workspace is live. */
function enqueue(workspace: Workspace, entity: AgentRunEntity): void {
	const busy = workspace.agentRuns.all().filter(isLive).length >= LIMITS.liveAgentRuns;
	entity.status = busy ? 'waiting' : 'queued';
	if (!busy) entity.dueAt = dueAt(workspace, 'agentStep', `${entity.id}:start`);
	workspace.agentRuns.put(entity);
	schedule(workspace, entity, agentRuns);
}

/** One step is done at a time: queued -> running -> … -> the review gate, or failure. */
function advance(workspace: Workspace, entity: AgentRunEntity): void {
	const { steps } = entity.plan;
	const step = entity.status === 'queued' ? undefined : steps[entity.outputs.length];
	entity.status = 'running';
	if (step && !makeStep(workspace, entity, step)) {
		return end(workspace, entity, 'failed');
	}
	if (entity.outputs.length >= steps.length) {
		return end(workspace, entity, 'awaiting_review');
	}
	entity.dueAt = dueAt(workspace, 'agentStep', `${entity.id}:${entity.outputs.length}`);
	workspace.agentRuns.put(entity);
	schedule(workspace, entity, agentRuns);
}

/** False where the step fails: its run was to fail at its last step, or the budget is used up. */
function makeStep(
	workspace: Workspace,
	entity: AgentRunEntity,
	{ id, estimated_credits: cost }: AgentPlan['steps'][number],
): boolean {
	const { ledger } = workspace.service;
	const isLast = entity.outputs.length === entity.plan.steps.length - 1;
	if (entity.outcome === 'fail' && isLast) {
		entity.problems = [{ type: 'step_failed', message: `The step ${id} failed.` }];
		return false;
	}
	if (cost > ledger.held(workspace.id, entity.id)) {
		const message = `The budget of ${entity.maxCredits} credits is used up.`;
		entity.problems = [{ type: 'budget_exhausted', message }];
		return false;
	}
	ledger.spend(workspace.id, entity.id, cost);
	entity.spentCredits += cost;
	addOutput(workspace, entity);
	return true;
}

/** Makes the asset of the next step or, after the last one, the whole piece. */
function addOutput(workspace: Workspace, entity: AgentRunEntity): void {
	const index = entity.outputs.length;
	const prompt = entity.plan.steps[index]?.prompt ?? entity.brief;
	const references = entity.sourceImages;
	const recipe = { ...recipeOf(workspace, entity.id, prompt, index), references };
	const id = workspace.service.ids.next('out');
	publish(workspace, { id, kind: kindOf(entity, index), recipe });
	entity.outputs.push(id);
}

function end(
	workspace: Workspace,
	entity: AgentRunEntity,
	status: 'awaiting_review' | 'failed',
): void {
	const { clock, ledger, usage } = workspace.service;
	ledger.settle(workspace.id, entity.id, 0);
	const spent = entity.spentCredits - PRICES.agentPlanning;
	usage.add(workspace.id, 'agent', spent, entity.outputs.length, 0);
	entity.status = status;
	entity.dueAt = null;
	entity.settledAt = status === 'failed' ? clock.now() : null;
	workspace.agentRuns.put(entity);
	const event = status === 'failed' ? 'agent.failed' : 'agent.review_required';
	announce(workspace, entity, event, formatAgentRun(entity, workspace));
	const waiting = workspace.agentRuns.all().filter((run) => run.status === 'waiting');
	const next = waiting.at(-1);
	if (next) enqueue(workspace, next);
}
