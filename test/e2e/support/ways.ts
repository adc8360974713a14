import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	OnError,
} from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { connectedTo, nodeAt } from '../../../lab/n8n/canvas';
import {
	credentialOf,
	type Execution,
	type SavedCredential,
	type WorkflowData,
} from '../../../lab/n8n/rest';
import { n8nUrl, rest } from './harness';
import { until } from './until';

/** How people run a workflow, and how they go on when an execution of it was lost. */
export const WAYS = {
	/** *Execute workflow*, and again. */
	editor: 'in the editor',
	/** The same, with *Loop Over Items* around the node, one item a round. */
	loop: 'in a loop in the editor',
	/** Published and called; then *Retry* under *Executions*. */
	production: 'in production',
	/** Called by another workflow; then *Retry* of the execution of the one that was called. */
	nested: 'in a sub-workflow',
} as const;

export type Way = keyof typeof WAYS;

/** A row of the table that a workflow is about; `picture` is made a file, as `photo`. */
export interface Row {
	p: string;
	picture?: string;
}

/** A workflow with one of our nodes behind rows. */
export interface Plan {
	way: Way;
	/** Such as `mediaGen`. */
	node: string;
	parameters: INodeParameters;
	credential: SavedCredential;
	rows: readonly Row[];
	onError?: OnError;
	/** An address that another node, behind ours, calls for each item. */
	followedBy?: string;
}

const NODE = 'Node under test';
const ROWS = 'Rows';
const LOOP = 'Loop Over Items';
const BEHIND = 'Behind';
const START = 'Start';

// As a Code node of a user's: files get a new place in n8n's store in each execution.
const codeOf = (rows: readonly Row[]) => `
const rows = ${JSON.stringify(rows)};
return await Promise.all(rows.map(async ({ picture, ...json }) => {
	if (picture === undefined) return { json };
	const photo = await this.helpers.prepareBinaryData(Buffer.from(picture, 'base64'), 'photo.png', 'image/png');
	return { json, binary: { photo } };
}));`;

/** What starts the workflow. */
function triggerOf(way: Way, path: string): INode {
	const at = nodeAt(START, 0);
	if (way === 'production')
		return {
			...at,
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: path,
			parameters: { path },
		};
	if (way === 'nested') {
		const parameters = { inputSource: 'passthrough' };
		return { ...at, type: 'n8n-nodes-base.executeWorkflowTrigger', typeVersion: 1.1, parameters };
	}
	return { ...at, type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
}

function workflowOf(plan: Plan, path: string): WorkflowData {
	const { way, node, parameters, credential, rows, onError, followedBy } = plan;
	const tried: INode = {
		...nodeAt(NODE, 3),
		type: `n8n-nodes-mediagen.${node}`,
		typeVersion: 1,
		parameters,
		onError,
		credentials: credentialOf(credential),
	};
	const code: INode = {
		...nodeAt(ROWS, 1),
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: { jsCode: codeOf(rows) },
	};
	const loop: INode = {
		...nodeAt(LOOP, 2),
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		parameters: { batchSize: 1 },
	};
	const behind: INode = {
		...nodeAt(BEHIND, 4),
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: { url: followedBy },
	};
	const isLoop = way === 'loop';
	// The first output of a loop is for what has been done.
	const round = { main: [[], ...connectedTo(NODE).main] };
	return {
		name: `Lost ${way}`,
		nodes: [
			triggerOf(way, path),
			code,
			tried,
			...(isLoop ? [loop] : []),
			...(followedBy === undefined ? [] : [behind]),
		],
		connections: {
			[START]: connectedTo(ROWS),
			[ROWS]: connectedTo(isLoop ? LOOP : NODE),
			...(isLoop && { [LOOP]: round, [NODE]: connectedTo(LOOP) }),
			...(followedBy !== undefined && { [NODE]: connectedTo(BEHIND) }),
		},
	};
}

/** A workflow that calls another one. */
function callerOf(id: string): WorkflowData {
	const workflowId = { __rl: true, mode: 'id', value: id };
	const caller: INode = {
		...nodeAt('Call', 1),
		type: 'n8n-nodes-base.executeWorkflow',
		typeVersion: 1.2,
		parameters: { source: 'database', workflowId, options: {} } as INodeParameters,
	};
	const start: INode = {
		...nodeAt(START, 0),
		type: 'n8n-nodes-base.manualTrigger',
		typeVersion: 1,
		parameters: {},
	};
	const connections = { [START]: connectedTo('Call') };
	return { name: 'Calls the lost one', nodes: [start, caller], connections };
}

/** What an execution has given. */
export interface Ended {
	id: string;
	status: string;
	/** The output of all runs of the node. */
	items: Array<INodeExecutionData & { json: IDataObject }>;
	error?: { message: string; description?: string; context?: { data?: IDataObject } };
}

function endedOf({ id, status, data }: Execution): Ended {
	const { runData, error } = data.resultData;
	const items = (runData[NODE] ?? []).flatMap((run) => run.data?.main?.[0] ?? []);
	return { id, status, items, error: error as unknown as Ended['error'] };
}

/** A workflow that can be run, stopped, changed and gone on with, in one of the ways. */
export interface Journey {
	/** Starts it as for the first time. @returns id of the execution of the workflow with our node */
	begin(): Promise<string>;
	/** What has become of an execution once it has ended. */
	ended(execution: string): Promise<Ended>;
	/** Stops what is running. */
	stop(execution: string): Promise<void>;
	/** Goes on as a user does. @returns once it has ended */
	goOn(lost: string): Promise<Ended>;
	/** *Debug in editor*: a run by hand, with what started the execution. @returns once it has ended */
	debug(): Promise<Ended>;
	/** The user changes the rows. */
	setRows(rows: readonly Row[]): Promise<unknown>;
}

/** Saves the workflow of a plan, and publishes it where that is needed. */
export async function travel(plan: Plan): Promise<Journey> {
	const { way } = plan;
	const path = randomUUID();
	const saved = await rest.workflows.create(workflowOf(plan, path));
	const isManual = way === 'editor' || way === 'loop';
	if (!isManual) await rest.workflows.publish(saved);
	const caller = way === 'nested' ? await rest.workflows.create(callerOf(saved.id)) : undefined;
	const timeoutMs = 200_000;

	/** What n8n starts for something that was called. */
	const started = async (call: () => Promise<unknown>): Promise<string> => {
		const known = new Set((await rest.executions.list(saved.id)).map(({ id }) => id));
		await call();
		const find = async () =>
			(await rest.executions.list(saved.id)).find(({ id }) => !known.has(id))?.id;
		let found: string | undefined;
		await until(async () => {
			found = await find();
			return found !== undefined;
		}, 60_000);
		// Not asked for again: n8n lists none while it moves an execution that has just ended.
		return found ?? '';
	};

	const begin = async (): Promise<string> => {
		if (isManual) return await rest.workflows.run(saved.id, START);
		if (!caller) return await started(async () => await fetch(`${n8nUrl}/webhook/${path}`));
		return await started(async () => await rest.workflows.run(caller.id, START));
	};
	const ended = async (execution: string) =>
		endedOf(await rest.executions.wait(execution, { timeoutMs }));
	return {
		begin,
		ended,
		stop: rest.executions.stop.bind(rest.executions),
		goOn: async (lost) => await ended(isManual ? await begin() : await rest.executions.retry(lost)),
		async debug() {
			const pinData = { [START]: [{ json: {} }] };
			await rest.workflows.update(saved.id, { ...workflowOf(plan, path), pinData });
			return await ended(await rest.workflows.run(saved.id, START));
		},
		setRows: async (rows) =>
			await rest.workflows.update(saved.id, workflowOf({ ...plan, rows }, path)),
	};
}
