import { createPersona } from '../engine/personas';
import type { PersonaEntity } from '../state/entities';
import { deletedBody, listAll } from '../formatters/list';
import { formatPersona } from '../formatters/persona';
import { notFound } from '../errors';
import type { Operation } from '../http/operation';
import { listQuery } from '../schemas/list';
import { createPersonaSchema, updatePersonaSchema } from '../schemas/persona';
import type { Service } from '../service';
import type { Workspace } from '../state/store';

export function personas(operation: Operation, service: Service): void {
	const format = (entity: PersonaEntity) => formatPersona(service, entity);

	operation('createPersona', { body: createPersonaSchema }, ({ workspace, body }) => ({
		status: body.source === 'upload' ? 201 : 202,
		body: format(createPersona(service, workspace, body)),
	}));

	operation('listPersonas', { query: listQuery }, ({ workspace, query }) => ({
		status: 200,
		body: listAll(workspace.personas, query, service.settings, format),
	}));

	operation('getPersona', {}, ({ workspace, id }) => ({
		status: 200,
		body: format(find(workspace, id)),
	}));

	operation('updatePersona', { body: updatePersonaSchema }, ({ workspace, id, body }) => {
		const entity = find(workspace, id);
		entity.name = body.name ?? entity.name;
		entity.shared = body.shared ?? entity.shared;
		return { status: 200, body: format(workspace.personas.put(entity)) };
	});

	operation('deletePersona', {}, ({ workspace, id }) => {
		find(workspace, id);
		workspace.personas.delete(id);
		return { status: 200, body: deletedBody('persona', id, service.settings) };
	});
}

function find(workspace: Workspace, id: string): PersonaEntity {
	const entity = workspace.personas.get(id);
	if (!entity) throw notFound('The persona');
	return entity;
}
