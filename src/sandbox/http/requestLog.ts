/** One request to the service, to an operation of the contract or to a file. */
export interface RequestEntry {
	id: string;
	/** Wall-clock milliseconds. */
	at: number;
	method: string;
	/** Without the query, which may hold a signature. */
	path: string;
	/** Of the operations of the contract only; `null` at file addresses. */
	query: Record<string, unknown> | null;
	/**
	 * Name of the operation as in the contract; `upload`, `readFile`, `readOutput` for file
	 * addresses.
	 */
	operation: string | null;
	workspace: string | null;
	status: number | null;
	/** False when the client was not given the whole answer. */
	answered: boolean;
	durationMs: number;
	idempotencyKey: string | null;
	/** Whether an Authorization header came along; the key itself is never recorded. */
	authorized: boolean;
	headers: Record<string, unknown>;
	body: unknown;
	/** Name of the fault that struck it. */
	fault: string | null;
	/** What an error answer said. */
	error: string | null;
}

const KEPT = 50_000;

/** All requests seen, the last 50,000 of them, oldest first. */
export class RequestLog {
	private entries: RequestEntry[] = [];
	/** All that were ever seen. */
	total = 0;

	add(entry: RequestEntry): void {
		this.total += 1;
		this.entries.push(entry);
		if (this.entries.length >= 2 * KEPT) this.entries = this.entries.slice(-KEPT);
	}

	list(): RequestEntry[] {
		return this.entries.slice(-KEPT);
	}
}
