import type { CreateGeneration, GenerationStatus } from '../../contract';
import type { ModelEntry } from '../catalogue/models';
import type { GenerationEntity, OutputEntity } from '../state/entities';
import { countCharacters, outputPrice, type Effective } from '../credits/prices';
import type { Service } from '../service';
import type { Workspace } from '../state/store';
import { announceGeneration } from './announce';
import { reserve } from './credits';
import { checkConcurrency, checkGeneration } from './generationChecks';
import { dueAt, failedOutputs, outcomeOf, problem } from './outcome';
import { liteReservation, METERED_MODEL, meterLite } from '../credits/meter';
import { newOutput, publish } from './publish';
import { generationMedia } from './rendering';

/**
 * Accepts a generation: checks it, reserves its credits and queues it. Nothing is kept on a
 * refusal.
 */
export function createGeneration(
	service: Service,
	workspace: Workspace,
	body: CreateGeneration,
): GenerationEntity {
	const { model, parameters } = checkGeneration(service, workspace, body);
	checkConcurrency(service, workspace);
	const id = service.ids.next('gen');
	const credits = quote(model, parameters, body.prompt);
	reserve(service, workspace, id, credits);
	const kind = model.kind!;
	const entity: GenerationEntity = {
		id,
		workspace: workspace.id,
		createdAt: workspace.generations.stamp(service.clock.now()),
		dueAt: dueAt(service, kind, id),
		settledAt: null,
		status: 'queued',
		mode: body.mode,
		kind,
		model: body.model,
		prompt: body.prompt,
		personaId: body.persona_id ?? null,
		input: body.input ?? {},
		parameters: body.parameters ?? {},
		delivery: body.delivery ?? 'public_url',
		estimatedCredits: credits,
		spentCredits: 0,
		outcome: outcomeOf(service, { ...body, workspace: workspace.id, text: body.prompt }),
		problems: [],
		outputs: Array.from({ length: Number(parameters.count ?? 1) }, (_, index) =>
			newOutput(service, kind, index),
		),
	};
	workspace.generations.put(entity);
	watchGeneration(service, workspace, entity);
	return entity;
}

/** Lets a queued generation run to its end; also after a restart. */
export function watchGeneration(
	service: Service,
	workspace: Workspace,
	entity: GenerationEntity,
): void {
	workspace.running.add(entity.id);
	service.clock.at(entity.dueAt, () => settle(service, workspace, entity));
}

function settle(service: Service, workspace: Workspace, entity: GenerationEntity): void {
	const all = entity.outputs;
	const failed = failedOutputs(entity.outcome, all.length);
	entity.problems = all.filter(({ index }) => failed.has(index)).map(({ id }) => problem(id));
	entity.outputs = all.filter(({ index }) => !failed.has(index));
	entity.spentCredits = spentCredits(workspace, entity, all);
	service.ledger.settle(workspace.id, entity.id, entity.spentCredits);
	entity.status = endStatus(entity.outputs.length, failed.size);
	entity.settledAt = service.clock.now();
	for (const output of entity.outputs) publishGenerated(service, workspace, entity, output);
	service.usage.add(workspace.id, entity.mode, entity.spentCredits, entity.outputs.length);
	workspace.running.delete(entity.id);
	workspace.generations.put(entity);
	announceGeneration(service, workspace, entity);
}

/** Gives a finished output its address; also after a restart. */
export function publishGenerated(
	service: Service,
	workspace: Workspace,
	entity: GenerationEntity,
	output: OutputEntity,
): void {
	const madeAt = entity.settledAt ?? service.clock.now();
	publish(service, workspace, output, entity.delivery, madeAt, async () => {
		return await generationMedia(service, workspace, entity, output);
	});
}

function endStatus(good: number, bad: number): GenerationStatus {
	if (bad === 0) return 'completed';
	return good === 0 ? 'failed' : 'partially_completed';
}

/** Only completed outputs are paid for. */
function spentCredits(workspace: Workspace, entity: GenerationEntity, all: OutputEntity[]): number {
	if (entity.model === METERED_MODEL) {
		const characters = countCharacters(entity.prompt) * entity.outputs.length;
		const { credits, carry } = meterLite(workspace.entity.liteCarry, characters);
		workspace.entity.liteCarry = carry;
		workspace.save();
		return credits;
	}
	return (entity.estimatedCredits / all.length) * entity.outputs.length;
}

function quote(model: ModelEntry, parameters: Effective, prompt: string): number {
	const count = Number(parameters.count ?? 1);
	if (model.id === METERED_MODEL) return liteReservation(countCharacters(prompt) * count);
	return outputPrice(model, parameters, prompt) * count;
}
