import type { Scope } from '../api';
import type { Failed } from '../base/result';
import type { ApiRequest, Json } from '../base/types';
import type { Host, StoredFile } from '../transport/host';
import type { TerminalStatuses } from '../transport/jobState';
import type { Workspace } from '../transport/workspace';
import type { ExecutionSum } from './credits/ledger';
import type { ItemMemory, NodeMemory } from './idempotency/itemState';
import type { LostRequests, Requester } from './idempotency/lostRequests';
import type { OperationSpec } from './operationSpec';
import type { Run } from './run';

const IDEMPOTENCY_MODES = ['execution', 'content', 'custom', 'none'] as const;
export type IdempotencyMode = (typeof IDEMPOTENCY_MODES)[number];

/**
 * Values of _Avoid Paying Twice_; workflows contain them. `editor` is `content` in the editor and else
 * `execution`.
 */
export const IDEMPOTENCY_CHOICES = [...IDEMPOTENCY_MODES, 'editor'] as const;
export type IdempotencyChoice = (typeof IDEMPOTENCY_CHOICES)[number];

export const CREDIT_POLICIES = ['stop', 'wait'] as const;
/** Values of _When Credits Run Out_. */
export type CreditPolicy = (typeof CREDIT_POLICIES)[number];

/** What the user has set on the node for one item, besides the request itself. */
export interface Settings {
	waitForCompletion: boolean;
	downloadOutputs: boolean;
	waitTimeoutMs: number;
	splitOutputs: boolean;
	outputBinaryField: string;
	idempotency: IdempotencyMode;
	/** Whether that is what _Same in the Editor_ means here. */
	sameInEditor?: boolean;
	idempotencyKey: string;
	onInsufficientCredits: CreditPolicy;
	creditWaitTimeoutMs: number;
	/** The most that the execution may reserve; `Infinity` for no limit. */
	maxCredits: number;
	/** The most that the workspace may have spent in a day; `Infinity` for no limit. */
	maxCreditsPerDay: number;
	/** Whether to output what would be sent instead of sending it. */
	dryRun: boolean;
	/** `Infinity` for all. */
	limit: number;
	/** Of a list: a date-time, before which entries are not wanted. */
	newerThan?: string;
	/** Whether entries are output without what makes them large. */
	simplify?: boolean;
	/** Whether a one-time signing secret is output. */
	includeSecret?: boolean;
	/** Whether an agent run is approved with less than its estimate. */
	allowBudgetBelowEstimate?: boolean;
	/** Whether the fields of the input item are output too. */
	includeInputFields?: boolean;
	/** Under which name the result stands then. */
	resultField?: string;
	/** What ends a wait for an agent run. */
	terminalStatuses?: TerminalStatuses;
	/** Whether an AI agent reads the answer, which gives up after about a minute. */
	isTool?: boolean;
}

/**
 * How the user can go on with a failed execution, which is what errors tell:
 * - `manual`: in the editor, where each click is a new execution
 * - `nested`: in a sub-workflow, which each try of its parent executes anew
 * - `production`: with Retry Execution
 */
export type WorkflowMode = 'manual' | 'nested' | 'production';

/** An item whose parameters have been checked and are valid. */
export interface Prepared {
	request: ApiRequest;
	/**
	 * The requests of an item that needs several, in the order of their outputs; `request` is the whole,
	 * which is not sent then.
	 */
	parts?: ApiRequest[];
	settings: Settings;
	/** Whether nobody has chosen its model: then it is the one that the workspace lists first. */
	lacksModel?: boolean;
	/** What is said of it whatever it comes to, such as what was entered and is not used. */
	warning?: string;
	/** With a key of the user's own, the hash of the request, its files by where n8n stores them. */
	ownRequest?: string;
}

/** What a credential is good for, before anything is asked. */
export interface CredentialState {
	/** Why it leads to no service. */
	problem?: Failed;
	/** What it says that the key may not do. */
	excludedScopes: readonly Scope[];
}

/** One of the parts of an item. */
interface PartOfItem extends Pick<Item, 'memory' | 'origin'> {
	body: unknown;
	/** Whether it is known to be only a repetition, which costs nothing. */
	repeatsOnly: () => boolean;
}

/** What the parts of an item know of each other: all of them fit under a limit, or none is sent. */
export interface PartsOfItem {
	/** All of them, once it is known whether they would only be repeated. */
	all: PartOfItem[];
	/** One of them has failed, so the item has: those that were not sent yet are not sent any more. */
	fail(failed: Failed): void;
}

/** One item while its operation runs. */
export interface Item extends Prepared {
	spec: OperationSpec;
	host: Host;
	workspace: Workspace;
	/** Whether its credential leads to a service: not needed by a dry run. */
	hasService: boolean;
	/** For an operation that looks at the credential itself: what it says. */
	credential?: CredentialState;
	run: Run;
	itemIndex: number;
	memory: ItemMemory;
	/** Memory of the whole node: what its items need to know about each other. */
	nodeMemory: NodeMemory;
	executionSum: ExecutionSum;
	/** What executions of the node have lost, in the editor or in production, as this process knows. */
	lost: LostRequests;
	/** See `AskedFor`. */
	userInputHash: string;
	/** Where the item comes from; its idempotency keys are derived from this. */
	origin: {
		/** Its place, `run:item`; of a tool call, its content. */
		place: string;
		/** The node and the execution. */
		requester: Requester;
		/** How n8n runs the workflow. */
		mode: WorkflowMode;
		/** Of the workflow: when its day begins. */
		timezone: string;
		/** Whether it goes on with what a former execution has lost. */
		mayResumeLost: boolean;
	};
	/** Tells the parts of an item apart that need a request each. */
	part?: string;
	/** Of a part: all parts of its item. */
	partsOfItem?: PartsOfItem;
	/** Fires when nothing new may be sent for a tool call, because the agent has had its answer. */
	giveUp?: AbortSignal;
}

/** What an item puts out. */
export interface ItemOutput {
	/** As the service returned them: those of a list or a file need not have an id. */
	resources: Json[];
	/** Of each resource, by its place: its files, if there are any. */
	files?: StoredFile[][];
	/** What is missing although the job as a whole succeeded. */
	warning?: string;
	/** Of a job that is only read: whether it has ended. */
	finished?: boolean;
	/** For an AI agent: what to do about a job that has not ended. */
	next?: string;
}
