import { LIMITS } from '../../contract';
import { createGeneration } from '../engine/generations';
import { formatMicroseconds, readDateTime } from '../formatters/date';
import { formatGeneration } from '../formatters/generation';
import { notFound } from '../http/errors';
import type { Operation } from '../http/operation';
import { createGenerationSchema, listGenerationsQuery } from '../schemas/generation';
import type { Service } from '../service';

export function generations(operation: Operation, service: Service): void {
	operation('createGeneration', { body: createGenerationSchema }, ({ workspace, body }) => ({
		status: 202,
		body: formatGeneration(service, createGeneration(service, workspace, body)),
	}));

	operation('listGenerations', { query: listGenerationsQuery }, ({ workspace, query }) => {
		const before = query.cursor === undefined ? undefined : readDateTime(query.cursor);
		const limit = query.limit ?? LIMITS.listLimit.default;
		const { entities, more } = workspace.generations.page(limit, before);
		const last = entities.at(-1);
		const data = entities.map((entity) => formatGeneration(service, entity));
		if (service.settings.generationOrder === 'oldest-in-page') data.reverse();
		return {
			status: 200,
			body: {
				object: 'list',
				data,
				has_more: more,
				next_cursor: more && last ? formatMicroseconds(last.createdAt) : null,
			},
		};
	});

	operation('getGeneration', {}, ({ workspace, id }) => {
		const entity = workspace.generations.get(id);
		if (!entity) throw notFound('The generation');
		return { status: 200, body: formatGeneration(service, entity) };
	});
}
