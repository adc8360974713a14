import { LIMITS } from '../../contract';
import type { Stored } from '../state/entities';
import type { Settings } from '../state/settings';
import type { Table } from '../state/table';
import { formatMicroseconds, readDateTime } from './date';

/** A page of a table, newest first. */
export function listPage<T extends Stored>(
	table: Table<T>,
	query: { limit?: number; cursor?: string },
	format: (entity: T) => object,
) {
	const before = query.cursor === undefined ? undefined : readDateTime(query.cursor);
	const { entities, more } = table.page(query.limit ?? LIMITS.listLimit.default, before);
	const last = entities.at(-1);
	const next = more && last ? formatMicroseconds(last.createdAt) : null;
	return { object: 'list', data: entities.map(format), has_more: more, next_cursor: next };
}

/** All of a table, or a page of it where `paginateAll` says so (open point 16). */
export function listAll<T extends Stored>(
	table: Table<T>,
	query: { limit?: number; cursor?: string },
	{ paginateAll }: Settings,
	format: (entity: T) => object,
) {
	if (paginateAll) return listPage(table, query, format);
	return { object: 'list', data: table.all().map(format), has_more: false, next_cursor: null };
}

/** Open point 14: what a delete answers. */
export function deletedBody(object: string, id: string, { deleteShape }: Settings): object {
	return deleteShape === 'empty' ? {} : { id, object, deleted: true };
}
