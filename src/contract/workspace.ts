/** The fields of the credit balance are not shown. Specification: Other response bodies. */
export type Credits = Record<string, unknown>;

/** Grouped by mode; the fields are not shown. Specification: Other response bodies. */
export type Usage = Record<string, unknown>;

/** Query of GET /usage. `since` is a date-time. Specification: Operation details. */
export interface UsageQuery {
	since?: string;
}
