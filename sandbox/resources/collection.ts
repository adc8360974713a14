import { LIMITS } from '../../src/api';
import type { Stored } from '../entities';
import { found } from '../errors';
import type { Table, Workspace } from '../store';

export const ok = (body: object) => ({ status: 200, body });

/** What the path of a request names. */
interface Place {
	workspace: Workspace;
	id: string;
}

interface Query {
	limit?: number;
	/** Wall-clock milliseconds. */
	cursor?: number;
}

/**
 * The operations that are the same for entities of all kinds.
 *
 * @param object what answers call one, such as `persona`
 * @param tableOf where they are
 * @param format one as it goes over the wire
 */
export function collection<T extends Stored>(
	object: string,
	tableOf: (workspace: Workspace) => Table<T>,
	format: (entity: T, workspace: Workspace) => object,
) {
	const find = ({ workspace, id }: Place) =>
		found(tableOf(workspace).get(id), `The ${object.replace('_', ' ')}`);
	return {
		tableOf,
		format,
		find,
		get: (place: Place) => ok(format(find(place), place.workspace)),
		list({ workspace, query }: { workspace: Workspace; query: Query }) {
			const each = (entity: T) => format(entity, workspace);
			return listOf(workspace, tableOf(workspace), query, each);
		},
		/** Open point 14: what a delete answers. */
		remove(place: Place) {
			const { id } = find(place);
			tableOf(place.workspace).delete(id);
			return ok({ id, object, deleted: true });
		},
	};
}

/** A table as a list, newest first. Open point 16: all of it, unless `paginateAll` says otherwise. */
export function listOf<T extends Stored>(
	{ service }: Workspace,
	table: Table<T>,
	query: Query,
	format: (entity: T) => object,
	isPaged = service.settings.paginateAll,
) {
	const { limit = LIMITS.listLimit.default, cursor } = isPaged ? query : { limit: Infinity };
	const { entities, more } = table.page(limit, cursor);
	const last = entities.at(-1);
	const next = more && last ? new Date(last.createdAt).toISOString() : null;
	return ok({ object: 'list', data: entities.map(format), has_more: more, next_cursor: next });
}
