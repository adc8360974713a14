import { createGeneration } from '../engine/generations';
import type { GenerationEntity } from '../state/entities';
import { formatGeneration } from '../formatters/generation';
import { listPage } from '../formatters/list';
import { notFound } from '../errors';
import type { Operation } from '../http/operation';
import { createGenerationSchema } from '../schemas/generation';
import { listQuery } from '../schemas/list';
import type { Service } from '../service';

export function generations(operation: Operation, service: Service): void {
	operation('createGeneration', { body: createGenerationSchema }, ({ workspace, body }) => ({
		status: 202,
		body: formatGeneration(service, createGeneration(service, workspace, body)),
	}));

	operation('listGenerations', { query: listQuery }, ({ workspace, query }) => {
		const format = (entity: GenerationEntity) => formatGeneration(service, entity);
		const body = listPage(workspace.generations, query, format);
		if (service.settings.generationOrder === 'oldest-in-page') body.data.reverse();
		return { status: 200, body };
	});

	operation('getGeneration', {}, ({ workspace, id }) => {
		const entity = workspace.generations.get(id);
		if (!entity) throw notFound('The generation');
		return { status: 200, body: formatGeneration(service, entity) };
	});
}
