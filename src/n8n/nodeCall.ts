import type {
	IAllExecuteFunctions,
	IBinaryData,
	IBinaryKeyData,
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	INode,
	NodeExecutionHint,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import type { Result } from '../base/result';
import type { Json } from '../base/types';
import type { Item, ItemOutput } from '../creation/item';
import type { Run } from '../creation/run';
import type { Operation } from '../fields/operation';
import type { MappedField } from '../fields/readFields';
import type { StoredFile } from '../transport/host';
import type { KnownFields } from '../fields/guards';

/*
 * What the steps of a run hand to each other: the call of the node with its items, the operation, and how
 * each item has ended. `entrance.ts` reads a call from what n8n gives.
 */

/** One item of the input. */
export interface Input {
	/** n8n's number of the item. */
	index: number;
	json: IDataObject;
	binary: IBinaryKeyData;
	/**
	 * All files of the item by the name of their field, whether n8n keeps them in `binary` or in the json
	 * (its binary mode "combined").
	 */
	files: Record<string, IBinaryData>;
}

/** The functions that n8n gives at either door. */
export type RunContext = IExecuteFunctions | IExecutePaginationFunctions;

/** A file of another node, under a name that says where it stands. */
export interface ExecutionFile {
	name: string;
	file: StoredFile;
}

/** A call of a node by n8n. */
export interface NodeCall {
	functions: IAllExecuteFunctions;
	node: INode;
	inputs: readonly Input[];
	/** Whether an AI agent reads the answer. */
	isTool: boolean;
	/** Whether n8n runs the tool from within another node, so that the input is the arguments of one call. */
	isNested: boolean;
	continuesOnFail: boolean;
	mode: WorkflowExecuteMode;
	/** Empty outside of an execution. */
	executionId: string;
	/** The id of the workflow, or that of the credential where there is no workflow. */
	workflow: string;
	/**
	 * Names the node within all of n8n: workflow and node, or the kind of node where there is no workflow.
	 */
	fullNodeId: string;
	/** The id of the credential that the node has. */
	credentialId: string;
	/**
	 * A hash of what the trigger has given to the execution. It is the same in a retry of an execution that
	 * was stopped.
	 */
	startDataHash(): string;
	runIndex: number;
	timezone: string;
	signal: AbortSignal | undefined;
	/**
	 * What n8n keeps for this node over the tries and retries of an execution; `undefined` where there is
	 * no execution, as in n8n's own Agents.
	 */
	nodeContext: IDataObject | undefined;
	/** What n8n keeps for all nodes of an execution. */
	executionMemory: IDataObject;
	/** A parameter of the node, evaluated for an item. */
	parameter(index: number, name: string, fallback?: unknown): unknown;
	evaluate(index: number, expression: string): unknown;
	/** The address at which n8n takes calls from outside; `undefined` where n8n does not say. */
	webhookAddress(index: number): string | undefined;
	/** The file that an expression has led to, if it is a file of this execution. */
	findFile(given: Json): ExecutionFile | undefined;
	credential(index: number): Promise<ICredentialDataDecryptedObject>;
	/** Shows a sentence above the output. Does nothing where n8n shows none. */
	addHint(hint: NodeExecutionHint): void;
	/**
	 * A link to a stored file that is valid for a day. Given only where there is no workflow, because n8n
	 * then gives nobody a file by its id.
	 */
	linkTo?: (file: IBinaryData) => string | undefined;
}

/** Labels of the editor, by the path of the field in the request, such as `parameters.count`. */
export type Labels = Record<string, string>;

/** An operation, with what is made of it once for all its runs. */
export interface Runnable extends Operation {
	/** Its fields that have a value, with those in collections. */
	mapped: MappedField[];
	/** The labels of its fields in the editor, by the names of these fields in the API. */
	labels: Labels;
	/** The fields of all operations of its node. */
	knownFields: KnownFields;
}

/** A run of the node, as all its steps know it. */
export interface Running {
	call: NodeCall;
	operation: Runnable;
	run: Run;
}

/** An item that has come to its end. */
export interface End {
	input: Input;
	/** Missing where the item was invalid, or could not be put together. */
	item?: Item;
	result: Result<ItemOutput>;
}
