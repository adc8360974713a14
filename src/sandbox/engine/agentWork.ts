import type { AgentRunEntity, OutputEntity } from '../state/entities';
import { LIMITS } from '../../contract';
import { formatAgentRun } from '../formatters/agentRun';
import type { MediaRequest } from '../media/types';
import { PRICES } from '../credits/prices';
import type { Service } from '../service';
import { loadReferences } from '../storage/references';
import type { Workspace } from '../state/store';
import { readSteps, type PlanStep } from './agentPlan';
import { dueAt } from './outcome';
import { newOutput, publish } from './publish';
import { elementAt } from '../elementAt';

/** Starts an approved run, or lets it wait while another one of the workspace is live. */
export function enqueue(service: Service, workspace: Workspace, entity: AgentRunEntity): void {
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
	if (entity.status === 'queued') entity.status = 'running';
	else if (!makeStep(service, workspace, entity, elementAt(steps, entity.stepsDone))) {
		return end(service, workspace, entity, 'failed');
	}
	if (entity.stepsDone >= steps.length) {
		return end(service, workspace, entity, 'awaiting_review');
	}
	entity.dueAt = dueAt(service, 'agentStep', `${entity.id}:${entity.stepsDone}`);
	workspace.agentRuns.put(entity);
	watchRun(service, workspace, entity);
}

function makeStep(
	service: Service,
	workspace: Workspace,
	entity: AgentRunEntity,
	step: PlanStep,
): boolean {
	const cost = step.estimated_credits;
	const last = entity.stepsDone === readSteps(entity.plan).length - 1;
	if (entity.outcome === 'fail' && last) {
		entity.problems = [{ type: 'step_failed', message: `The step ${step.id} failed.` }];
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
	const output = newOutput(service, step.kind, entity.outputs.length);
	entity.outputs.push(output);
	publishAsset(service, workspace, entity, output);
	return true;
}

function end(
	service: Service,
	workspace: Workspace,
	entity: AgentRunEntity,
	status: 'awaiting_review' | 'failed',
): void {
	service.ledger.settle(workspace.id, entity.id, 0);
	service.usage.add(
		workspace.id,
		'agent',
		entity.spentCredits - PRICES.agentPlanning,
		entity.outputs.length,
		0,
	);
	entity.status = status;
	entity.settledAt = status === 'failed' ? service.clock.now() : null;
	workspace.agentRuns.put(entity);
	workspace.liveRuns.delete(entity.id);
	const event = status === 'failed' ? 'agent.failed' : 'agent.review_required';
	service.emit(workspace, event, () => formatAgentRun(service, entity));
	const next = workspace.agentRuns.get(workspace.waitingRuns.shift() ?? '');
	if (next) enqueue(service, workspace, next);
}

/** Puts the assets together into one video. */
export function addFinal(service: Service, workspace: Workspace, entity: AgentRunEntity): void {
	const output = newOutput(service, 'video', entity.outputs.length);
	entity.outputs.push(output);
	publishAsset(service, workspace, entity, output);
}

/** Gives one asset of a run its address; also after a restart. */
export function publishAsset(
	service: Service,
	workspace: Workspace,
	entity: AgentRunEntity,
	output: OutputEntity,
): void {
	publish(service, workspace, output, 'public_url', entity.createdAt / 1000, async () => {
		return await assetMedia(service, entity, output);
	});
}

async function assetMedia(
	service: Service,
	entity: AgentRunEntity,
	{ kind, index }: OutputEntity,
): Promise<MediaRequest> {
	const step = readSteps(entity.plan)[index] as PlanStep | undefined;
	return {
		kind,
		prompt: step?.prompt ?? entity.brief,
		seed: service.random.integer(`media:${entity.id}`),
		index,
		references: await loadReferences(service, entity.sourceImages),
	};
}
