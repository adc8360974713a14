import type { GenerationEntity } from '../state/entities';
import { formatGeneration } from '../formatters/generation';
import type { Service } from '../service';
import type { Workspace } from '../state/store';

/** Notifies the webhooks that a generation has ended. Specification: Events. */
export function announceGeneration(
	service: Service,
	workspace: Workspace,
	entity: GenerationEntity,
): void {
	const resource = () => formatGeneration(service, entity);
	const { partialEvent } = service.settings;
	if (entity.status === 'completed') service.emit(workspace, 'generation.completed', resource);
	else if (entity.status === 'failed') service.emit(workspace, 'generation.failed', resource);
	else if (partialEvent !== 'none') {
		service.emit(workspace, `generation.${partialEvent}`, resource);
	}
}
