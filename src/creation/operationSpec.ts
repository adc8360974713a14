import type { Endpoint } from '../api';
import type { Result } from '../base/result';
import type { Json } from '../base/types';
import type { SlotKind } from '../transport/jobSlots';
import type { TerminalStatuses } from '../transport/jobState';
import type { Item, ItemOutput } from './item';

/** How the response of an operation becomes output; these few kinds serve every operation. */
export type OutputKind =
	/** One resource, unchanged. */
	| 'resource'
	/** The entries of a list, one item each. */
	| 'list'
	/** A job: of a creation waited for if that is wanted, and its files downloaded. */
	| 'job'
	/** An existing job: waited for until it has ended. */
	| 'wait'
	/** Only the id, and that the resource was deleted. */
	| 'deleted'
	/** A binary field of the item, uploaded to the service. */
	| 'file';

/** One sentence about the rows of a run. */
export interface Summary {
	message: string;
	/** Whether there is nothing left to do. */
	isFine: boolean;
}

/** What an operation is, whatever its fields: one that creates, and one that only reads. */
export interface OperationSpec {
	endpoint: Endpoint;
	output: OutputKind;
	/**
	 * Whether it makes or approves something that must not be made twice: it is sent under an
	 * idempotency key, and what it has made is remembered. Specification: Operation details.
	 */
	creates?: boolean;
	/** Whether it may cost credits. */
	charges?: boolean;
	/** The `object` constant of what is created; decides how its end is recognised. */
	object?: string;
	/** Whether a list takes `limit` (specification: Endpoints, pagination parameters). */
	takesLimit?: boolean;
	/**
	 * Which limit on running jobs its job counts for (specification: Limits), if any; may depend on the body.
	 */
	takesSlot?: SlotKind | ((body: unknown) => SlotKind | undefined);
	/** What ends a wait for an agent run, unless the user has set other statuses. */
	terminalStatuses?: TerminalStatuses;
	/** How long a response may take, in milliseconds, if longer than usual. */
	responseTimeoutMs?: number;
	simplify?: (entry: Record<string, unknown>) => Record<string, unknown>;
	/** Whether a response may contain a signing secret, which is output only if the user asks for it. */
	holdsSecret?: boolean;
	/**
	 * What speaks against a creation, as far as the service can say it before anything is sent; what is said
	 * of one that could not be checked.
	 */
	check?: (item: Item) => Promise<Result<string | undefined>>;
	/** Does what the operation is, where that takes other requests than the one of its endpoint. */
	perform?: (item: Item) => Promise<Result<ItemOutput>>;
	/** What is said above the output of such an operation. */
	summary?: (rows: Json[]) => Summary;
	/** Names of the parameters whose values are sent: what the user can change about the request. */
	parameters?: string[];
}
