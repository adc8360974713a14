import type { IBinaryData } from 'n8n-workflow';
import type { Endpoint } from '../../contract';
import type { Batch } from './batch';
import type { Prepared } from './prepared';
import type { Host } from '../host/host';
import type { ItemMemory, NodeMemory } from './itemMemory';
import type { TerminalStatuses } from '../jobs/jobState';
import type { Resource } from '../base/types';
import type { Workspace } from '../workspace';

/** What becomes of an operation's answer; the same few ways serve every operation. */
export type OutputKind =
	/** One resource, as it is. */
	| 'resource'
	/** The entries of a list, one item each. */
	| 'list'
	/** A job: waited for and downloaded if wanted. */
	| 'job'
	/** A job that exists: waited for until it has ended. */
	| 'wait'
	/** Nothing is left but the id, and that it is gone. */
	| 'deleted'
	/** A binary field of the item that is sent to the service. */
	| 'file';

/** An operation as the transport sees it. */
export interface OperationSpec {
	endpoint: Endpoint;
	output: OutputKind;
	/** The `object` constant of what a creation makes; tells how its end is recognised. */
	object?: string;
	/** Whether a list takes `limit` (specification: Endpoints, pagination parameters). */
	takesLimit?: boolean;
	/** Whether the job takes one of the places for concurrent media jobs (specification: Limits). */
	takesPermit?: boolean;
	/** What ends a wait for an agent run, unless the user has set other statuses. */
	terminalStatuses?: TerminalStatuses;
	/** How long one answer may take, in milliseconds, where that is longer than usual. */
	responseTimeoutMs?: number;
	/** An entry as it is shown with Simplify. */
	simplify?: (entry: Record<string, unknown>) => Record<string, unknown>;
	/** Whether an answer may hold a signing secret, which is shown on demand only. */
	holdsSecret?: boolean;
	/** Names of the parameters whose values are sent: what the user can change about the request. */
	parameters?: string[];
}

/** One item on its way. */
export interface Item extends Prepared {
	spec: OperationSpec;
	host: Host;
	workspace: Workspace;
	batch: Batch;
	itemIndex: number;
	memory: ItemMemory;
	/** Memory of the whole node: what its items must know of each other. */
	node: NodeMemory;
	/** Fingerprint of what the user can change: the unevaluated parameters and the input item. */
	source: string;
	/** Names the node run and item within the memory of the node. */
	origin: { seed: string; item: string; node: string; executionId: string };
	/** Lets the other items of the run go, or the next one find out: this one has nothing to find out for them. */
	handOver: () => void;
	/** Of a tool call: takes note of how it has ended. */
	release?: (endedWell: boolean) => void;
}

/** What an item ends with when all is well. */
export interface Outcome {
	resources: Resource[];
	files: Array<{ outputId: string; data: IBinaryData }>;
	/** What was not made although the job as a whole is good. */
	warning?: string;
	/** For an AI agent: what to do about a job that has not ended. */
	next?: string;
	/** Whether the same tool call again is to go on with this one. */
	isUnfinished?: boolean;
}
