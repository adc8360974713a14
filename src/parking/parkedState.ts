import {
	NodeHelpers,
	type IExecuteSingleFunctions,
	type INodeExecutionData,
	type IRunExecutionData,
	type IWebhookFunctions,
} from 'n8n-workflow';
import { isRecord } from '../transport/base/types';
import type { TerminalStatuses } from '../transport/jobs/jobState';

/** A job that a parked execution waits for. */
export interface ParkedJob {
	/** Index of its item in the output of the parking run. */
	index: number;
	id: string;
	path: string;
	object?: string;
	terminalStatuses?: TerminalStatuses;
}

/**
 * What events are verified against; in the node's context data, which n8n stores with the
 * execution.
 */
export interface ParkedState {
	webhookId: string;
	/** Encrypted; see `src/webhook/encryptSecret.ts`. */
	secret: string;
	/** Base URL of the service that has the webhook. */
	baseUrl: string;
	jobs: ParkedJob[];
}

const NAME = 'mediaGenParked';

/** Stores what events are verified against, or removes it. */
export function saveState(context: IExecuteSingleFunctions, state: ParkedState | undefined): void {
	const data = context.getContext('node');
	if (state) data[NAME] = state;
	else delete data[NAME];
}

const stateIn = (data: Record<string, unknown>): ParkedState | undefined => {
	const state = data[NAME];
	if (!isRecord(state) || !Array.isArray(state.jobs)) return undefined;
	return state as unknown as ParkedState;
};

/** The state of an earlier parking of this execution. */
export const savedState = (context: IExecuteSingleFunctions): ParkedState | undefined =>
	stateIn(context.getContext('node'));

/** A parked execution as a call to its resume URL finds it. */
export interface Parked {
	state: ParkedState;
	/** The output of the parking run, in the order of its input. */
	items: INodeExecutionData[];
}

/**
 * The execution that a call resumes; `undefined` if it waits for no events. A webhook context holds
 * it, but n8n has no function to read it there except expressions, which the name of a node can
 * break.
 */
export function parkedExecution(context: IWebhookFunctions): Parked | undefined {
	const { runExecutionData: run } = context as unknown as { runExecutionData?: IRunExecutionData };
	const items = run?.executionData?.nodeExecutionStack[0]?.data.main?.[0];
	if (!run?.executionData || !items) return undefined;
	const state = stateIn(NodeHelpers.getContext(run, 'node', context.getNode()));
	return state && { state, items };
}
