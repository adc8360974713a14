import type {
	IBinaryData,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	OnError,
} from 'n8n-workflow';
import type { Rest, SavedCredential } from './rest';
import type { Execution, ExecutionStatus } from './rest/executions';
import type { WorkflowData } from './rest/workflows';

/** A file on an input item. */
export interface InputFile {
	data: Buffer;
	fileName: string;
	mimeType: string;
}

export interface InputItem {
	json?: IDataObject;
	/** Files by the name of their binary field. */
	binary?: Record<string, InputFile>;
}

/** A node to try, and what n8n shall do with it. */
export interface NodeRun {
	type: string;
	typeVersion?: number;
	parameters: INodeParameters;
	credential?: SavedCredential;
	/** Default: one item without fields. */
	items?: InputItem[];
	/** `continueRegularOutput` is what users call Continue On Fail. */
	onError?: OnError;
	/** Retry On Fail, with how often and how many milliseconds apart. */
	retry?: { maxTries: number; waitBetweenTries: number };
	/** How long the execution may take; default 120 s. */
	timeoutMs?: number;
}

/** An output item; its files are read on demand. */
export interface OutputItem {
	json: IDataObject;
	binary: Record<string, IBinaryData>;
	/** What Continue On Fail put beside the json. */
	error?: INodeExecutionData['error'];
	pairedItem?: INodeExecutionData['pairedItem'];
}

/** An error of a node or workflow, as n8n stores it. */
export interface StoredError extends IDataObject {
	message: string;
	description?: string;
}

export interface NodeRunResult {
	executionId: string;
	workflowId: string;
	status: ExecutionStatus;
	/** Items of the first output. */
	items: OutputItem[];
	/** Items of the error output (`continueErrorOutput`). */
	errorItems: OutputItem[];
	/** Why the execution failed. */
	error?: StoredError;
	execution: Execution;
}

const nodeName = 'Node under test';
const triggerName = 'Start';
const inputName = 'Input';

// n8n keeps pinned files inside the item; the Code node puts them into its binary store, where a
// user's files are, so that streaming and metadata are tried too.
const unpackFiles = `
return await Promise.all($input.all().map(async ({ json: { fields, files } }) => {
	const binary = {};
	for (const [name, file] of Object.entries(files)) {
		const bytes = Buffer.from(file.data, 'base64');
		binary[name] = await this.helpers.prepareBinaryData(bytes, file.fileName, file.mimeType);
	}
	return { json: fields, binary };
}));`;

/** The workflow trigger -> input items -> node, ready to run by hand. */
export function workflowOf(run: NodeRun): WorkflowData {
	const items = run.items ?? [{}];
	const node = (partial: Partial<INode> & Pick<INode, 'name' | 'type'>, column: number): INode => ({
		id: partial.name,
		typeVersion: 1,
		position: [column * 220, 0],
		parameters: {},
		...partial,
	});
	const { credential, retry } = run;
	return {
		name: `Try ${run.type}`,
		nodes: [
			node({ name: triggerName, type: 'n8n-nodes-base.manualTrigger' }, 0),
			node(
				{
					name: inputName,
					type: 'n8n-nodes-base.code',
					typeVersion: 2,
					parameters: { jsCode: unpackFiles },
				},
				1,
			),
			node(
				{
					name: nodeName,
					type: run.type,
					typeVersion: run.typeVersion ?? 1,
					parameters: run.parameters,
					...(run.onError && { onError: run.onError }),
					...(retry && { retryOnFail: true, ...retry }),
					...(credential && {
						credentials: { [credential.type]: { id: credential.id, name: credential.name } },
					}),
				},
				2,
			),
		],
		connections: Object.fromEntries(
			[
				[triggerName, inputName],
				[inputName, nodeName],
			].map(([from, to]) => [from, { main: [[{ node: to, type: 'main', index: 0 }]] }]),
		),
		pinData: { [triggerName]: items.map((item) => ({ json: packed(item) })) },
	};
}

function packed({ json = {}, binary = {} }: InputItem): IDataObject {
	const files = Object.entries(binary).map(([name, file]) => [
		name,
		{ ...file, data: file.data.toString('base64') },
	]);
	return { fields: json, files: Object.fromEntries(files) as IDataObject };
}

/** Starts a node in a workflow of its own and gives the ids at once, to be stopped or watched. */
export async function startNode(
	rest: Rest,
	run: NodeRun,
): Promise<{ workflowId: string; executionId: string }> {
	const { id } = await rest.workflows.create(workflowOf(run));
	return { workflowId: id, executionId: await rest.workflows.run(id, triggerName) };
}

/** Runs a node in a workflow of its own until the execution has ended, well or badly. */
export async function runNode(rest: Rest, run: NodeRun): Promise<NodeRunResult> {
	const { executionId } = await startNode(rest, run);
	return resultOf(await rest.executions.wait(executionId, { timeoutMs: run.timeoutMs }));
}

/** What an execution made of the node, e.g. after it was stopped or retried. */
export function resultOf(execution: Execution): NodeRunResult {
	const { runData, error } = execution.data.resultData;
	const outputs = runData[nodeName]?.at(-1)?.data?.main ?? [];
	return {
		executionId: execution.id,
		workflowId: execution.workflowId,
		status: execution.status,
		items: (outputs[0] ?? []).map(outputItem),
		errorItems: (outputs[1] ?? []).map(outputItem),
		error: error as unknown as StoredError | undefined,
		execution,
	};
}

function outputItem({ json, binary, error, pairedItem }: INodeExecutionData): OutputItem {
	return { json, binary: binary ?? {}, ...(error && { error }), pairedItem };
}
