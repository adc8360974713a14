import type { GenerationEntity, OutputEntity } from '../entities';
import type { MediaRequest } from '../media/types';
import { readSeconds, type Effective } from '../prices';
import { findModel } from '../catalogue/models';
import type { Service } from '../service';
import { loadReferences } from '../storage/references';
import type { Workspace } from '../store';

/** Gives an output its address; it is drawn when somebody reads it. */
export function publishOutput(
	service: Service,
	workspace: Workspace,
	entity: GenerationEntity,
	output: OutputEntity,
): void {
	service.outputs.add({
		workspace,
		output,
		delivery: entity.delivery,
		madeAt: entity.settledAt ?? service.clock.now(),
		request: async () => await mediaRequest(service, workspace, entity, output),
	});
}

async function mediaRequest(
	service: Service,
	workspace: Workspace,
	entity: GenerationEntity,
	output: OutputEntity,
): Promise<MediaRequest> {
	const model = findModel(entity.model)!;
	const parameters: Effective = { ...model.defaults, ...entity.parameters };
	const persona = entity.personaId ? workspace.personas.get(entity.personaId) : undefined;
	const addresses = [...Object.values(entity.input).flat(), ...(persona?.referenceImages ?? [])];
	const text = (name: string) =>
		parameters[name] === undefined ? undefined : String(parameters[name]);
	return {
		kind: output.kind,
		prompt: entity.prompt,
		seed: service.chance.integer(`media:${entity.id}`),
		index: output.index,
		size: text('size'),
		aspectRatio: text('aspect_ratio'),
		resolution: text('resolution'),
		durationSeconds:
			parameters.duration === undefined ? undefined : readSeconds(parameters.duration, 4),
		voice: text('voice'),
		speed: parameters.speed === undefined ? undefined : readSeconds(parameters.speed, 1),
		loop: parameters.loop === true,
		lyrics: text('lyrics'),
		references: await loadReferences(service, addresses),
	};
}
