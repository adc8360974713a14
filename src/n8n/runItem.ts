import { ok, type Result } from '../base/result';
import type { Input, NodeCall } from './call';
import type { Ready, Runnable } from './check';
import { executionCredits } from '../creation/cap';
import { create } from '../creation/creation';
import { dryRun } from '../creation/dryRun';
import type { Item, Outcome, WorkflowMode } from '../creation/item';
import type { LostOfWorkflow, LostRequests, Owner } from '../creation/lostRequests';
import { noteEnd, statesOf, type NodeMemory } from '../creation/memory';
import { WITHOUT_CREATION } from '../reads/reads';
import { forOutput } from './rows';
import { createParts } from '../creation/parts';
import { noteFailure, whyNotSent, type Run } from '../creation/run';
import { workspaceOf } from '../transport/workspace';
import { faultOf } from './faults';
import { n8nHost } from './n8nHost';
import { identify } from './identity';
import { answerInTime } from './tool';

/* One item: it is put together, run, and comes to its end, whatever throws on the way. */

/** What has become of an item. */
export interface End {
	input: Input;
	/** Unless something was wrong with it. */
	item?: Item;
	result: Result<Outcome>;
}

/** What a run shares with others: what n8n keeps of the node, what was lost, and who asks. */
export interface Remembered {
	node: NodeMemory;
	/** All that was lost in the workflow, and that part of it in which this execution looks. */
	ofWorkflow: LostOfWorkflow;
	lost: LostRequests;
	owner: Owner;
}

/** The way of an item. Not `async`: thousands may wait. */
function operate(item: Item): Promise<Result<Outcome>> {
	const { spec, settings, parts = [] } = item;
	if (spec.run) return spec.run(item);
	if (!spec.creates) return WITHOUT_CREATION[spec.output](item);
	if (settings.dryRun) return dryRun(item);
	return parts.length < 2 ? create(item) : createParts(item, parts);
}

/**
 * Runs the operation for an item, from its checked request to its output; nothing is sent if another item has
 * halted the run.
 */
export async function runItem(item: Item): Promise<Result<Outcome>> {
	const { run, spec } = item;
	const unsent = run.halted === undefined ? undefined : whyNotSent(item);
	const result = unsent ?? (await operate(item));
	if (!result.ok) {
		noteFailure(item, result);
		return result;
	}
	if (!spec.creates) run.refusals.accepted(item);
	const resources = result.value.resources.map((resource) => forOutput(item, resource));
	const warnings = [result.value.warning, item.warning].filter((one) => one !== undefined);
	const warning = warnings.length > 0 ? warnings.join('. ') : undefined;
	return ok({ ...result.value, resources, warning });
}

/** How n8n's ways to start a workflow matter here; all others are production. */
const MODES: Partial<Record<NodeCall['mode'], WorkflowMode>> = {
	manual: 'manual',
	integrated: 'nested',
};

/** Puts together all that an item needs. */
function openItem(
	call: NodeCall,
	{ spec }: Runnable,
	run: Run,
	{ node, lost, owner }: Remembered,
	input: Input,
	{ access, hasService, noService, sending, ...prepared }: Ready,
): Item {
	const { baseUrl, key, limits } = access;
	const { executionId, credentialId, mode } = call;
	const workflowMode = MODES[mode] ?? 'production';
	const { item, memory, inputFingerprint } = identify(
		call,
		input,
		spec,
		run,
		node,
		prepared.request,
	);
	const { timeoutMs, proxy, skipSslCertificateValidation } = sending;
	const host = n8nHost(
		{
			functions: call.functions,
			credential: async () => await call.credential(input.index),
			files: () => input.files,
			signal: call.signal,
			fairnessKey: executionId || 'manual',
			timeoutMs,
			responseTimeoutMs: spec.responseTimeoutMs,
			webhookAddress: () => call.webhookAddress(input.index),
		},
		{ url: '', baseURL: baseUrl, proxy, skipSslCertificateValidation },
		key,
	);
	return {
		...prepared,
		spec,
		run,
		itemIndex: input.index,
		host,
		workspace: workspaceOf(baseUrl, key, limits, credentialId),
		hasService,
		credential: { problem: noService, excludedScopes: access.excludedScopes },
		memory,
		node,
		credits: executionCredits(call.executionMemory),
		lost,
		inputFingerprint,
		origin: {
			item,
			owner,
			mode: workflowMode,
			timezone: call.timezone,
			// In the editor, and in a retry for which n8n kept no memory of the node.
			looksBack: ['manual', 'retry'].includes(mode) && node.startedIn === executionId,
		},
	};
}

/**
 * The error of the run names these jobs too, if it was halted before they were read again or they cannot be
 * read.
 */
function nameEarlierJobs(item: Item): void {
	for (const [part, state] of statesOf(item))
		if ('job' in state) item.run.addEarlierJob(item.itemIndex, state.job, part);
}

/** What becomes of an item, and what is remembered of that. */
async function resultOf(item: Item): Promise<Result<Outcome>> {
	const { settings, origin } = item;
	// Whether a call of a tool has ended, the agent decides that was told so.
	if (settings.isTool) return await answerInTime(item, runItem);
	const result = await runItem(item);
	if (!settings.dryRun) noteEnd(item, result.ok ? origin.owner.execution : undefined);
	return result;
}

/** Runs one item to its end. Never rejects: what has been paid for is named, whatever throws on the way. */
export async function runToEnd(
	call: NodeCall,
	operation: Runnable,
	run: Run,
	remembered: Remembered,
	input: Input,
	ready: Result<Ready>,
): Promise<End> {
	if (!ready.ok) return { input, result: ready };
	let item: Item | undefined;
	let result: Result<Outcome>;
	try {
		item = openItem(call, operation, run, remembered, input, ready.value);
		result = await resultOf(item);
	} catch (error) {
		result = faultOf(error);
	}
	if (item && !result.ok) nameEarlierJobs(item);
	return { input, item, result };
}
