/**
 * The envelope of a list. `next_cursor` is passed as `cursor` to continue.
 * Specification: Resources and their fields, List.
 */
export interface List<T> {
	object: 'list';
	data: T[];
	has_more?: boolean;
	next_cursor?: string | null;
}
