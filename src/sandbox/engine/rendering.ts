import { findModel } from '../catalogue/models';
import type { GenerationEntity, OutputEntity, SpeechEntity } from '../state/entities';
import type { MediaRequest } from '../media/types';
import { readSeconds, type Effective } from '../credits/prices';
import type { Service } from '../service';
import { loadReferences } from '../storage/references';
import type { Workspace } from '../state/store';

const whenGiven = <T>(value: unknown, read: (value: unknown) => T): T | undefined =>
	value === undefined ? undefined : read(value);

/** What one output of a generation looks or sounds like. */
export async function generationMedia(
	service: Service,
	workspace: Workspace,
	entity: GenerationEntity,
	output: OutputEntity,
): Promise<MediaRequest> {
	const parameters: Effective = { ...findModel(entity.model)?.defaults, ...entity.parameters };
	const persona = entity.personaId ? workspace.personas.get(entity.personaId) : undefined;
	const addresses = [...Object.values(entity.input).flat(), ...(persona?.referenceImages ?? [])];
	return {
		kind: output.kind,
		prompt: entity.prompt,
		seed: service.random.integer(`media:${entity.id}`),
		index: output.index,
		size: whenGiven(parameters.size, String),
		aspectRatio: whenGiven(parameters.aspect_ratio, String),
		resolution: whenGiven(parameters.resolution, String),
		durationSeconds: whenGiven(parameters.duration, (value) => readSeconds(value, 4)),
		voice: whenGiven(parameters.voice, String),
		speed: whenGiven(parameters.speed, (value) => readSeconds(value, 1)),
		references: await loadReferences(service, addresses),
	};
}

/** All blocks of a speech generation as one recording. */
export function speechMedia({ random }: Service, entity: SpeechEntity): MediaRequest {
	return {
		kind: 'speech',
		prompt: entity.blocks[0]?.text ?? '',
		blocks: entity.blocks,
		seed: random.integer(`media:${entity.id}`),
		index: 0,
		speed: entity.settings.speed,
		volume: entity.settings.volume,
	};
}
