import type {
	WorkflowExecuteMode,
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	ITaskDataConnections,
	NodeExecutionHint,
} from 'n8n-workflow';
import { LIMITS } from '../../src/api';
import type { Access } from '../../src/transport/credential';

export const NODE: INode = {
	id: 'node-1',
	name: 'MediaGen Generation',
	type: 'n8n-nodes-mediagen.mediaGen',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** The parts of n8n that the items of one run of a node share. */
export interface NodeRun {
	items: INodeExecutionData[];
	credential: IDataObject;
	/** The API key of each item, where an expression gives it. */
	keyOf?: (item: number) => string;
	/** What n8n waits for before it has the credential of an item. */
	readCredential?: () => Promise<void>;
	/** Parameters by dotted name; a function gives them for each item. */
	parameters: (item: number) => Record<string, unknown>;
	request: (options: IHttpRequestOptions) => Promise<unknown>;
	/** What n8n does to a request before it sends it; a failure here means that nothing was sent. */
	authenticate: (options: IHttpRequestOptions) => void;
	/** In the place of the helpers of n8n that are made up here. */
	helpers?: object;
	nodeMemory: IDataObject;
	executeData: { node: INode; data: ITaskDataConnections; source: null };
	/**
	 * What n8n iterates over where that is not the data of `executeData`, which is the agent's then.
	 */
	inputData?: ITaskDataConnections;
	/** The name of the node type, where it is not the usual one. */
	nodeType?: string;
	/** Parameters as the workflow has them, where a test is about those. */
	rawParameters?: INode['parameters'];
	/** For a tool: the arguments that n8n evaluates `$fromAI` with. */
	evaluatedArguments?: IDataObject;
	executionId: string;
	/** Which run of the node in its execution it is. */
	runIndex?: number;
	workflowId?: string;
	/** How the execution was started; by a trigger if it is left out. */
	mode?: WorkflowExecuteMode;
	continueOnFail: boolean;
	/** Whether failed rows leave by the error output. */
	errorOutput?: boolean;
	signal?: AbortSignal;
	/** Gets what n8n shows above the output. */
	hints?: NodeExecutionHint[];
	/** Functions of the context that are not as usual. */
	lacking?: Partial<IExecuteSingleFunctions>;
}

export function nodeRun(run: Partial<NodeRun> = {}): NodeRun {
	const items = run.items ?? [{ json: {} }];
	return {
		credential: { apiKey: 'canary-key-123', baseUrl: 'https://api.example/v1' },
		parameters: () => ({}),
		request: async () => await Promise.reject(new Error('no request was expected')),
		authenticate: (options) => {
			(options.headers ??= {}).Authorization = 'Bearer canary-key-123';
		},
		nodeMemory: {},
		executionId: 'execution 1',
		continueOnFail: false,
		...run,
		items,
		executeData: run.executeData ?? { node: NODE, data: { main: [items] }, source: null },
	};
}

/** What a credential says of a service on the internet, with the usual limits. */
export const accessTo = (baseUrl: string, apiKey: string): Access => ({
	baseUrl,
	isLocal: false,
	apiKey,
	limits: LIMITS,
	excludedScopes: [],
});

/** A value within nested parameters, as n8n's `getNodeParameter` finds it. */
export function valueAt(values: unknown, name: string): unknown {
	let value = values;
	for (const part of name.split('.')) value = (value as IDataObject | undefined)?.[part];
	return value;
}

const isLocator = (value: unknown): value is { value: unknown } =>
	typeof value === 'object' && value !== null && '__rl' in value;

/** The functions that n8n gives to hooks and to the runner, for one item. */
export function nodeContext(run: NodeRun, item = 0): IExecuteSingleFunctions {
	const input: INodeExecutionData = run.items[item] ?? { json: {} };
	const binaryOf = (field: string) => input.binary?.[field];
	const inputData = run.inputData ?? run.executeData.data;
	const context = {
		inputData,
		evaluateExpression(expression: string) {
			const key = /^\{\{ \$fromAI\("(\w+)"\) \}\}$/.exec(expression)?.[1];
			if (key === undefined) throw new Error(`Not known to this test: ${expression}`);
			return run.evaluatedArguments?.[key];
		},
		logger: { warn: () => {}, debug: () => {} },
		getItemIndex: () => item,
		getMode: () => run.mode ?? 'trigger',
		getNode: () => ({
			...NODE,
			type: run.nodeType ?? NODE.type,
			credentials: { mediaGenApi: { id: 'credential-1', name: 'MediaGen' } },
			parameters: run.rawParameters ?? (run.parameters(item) as INode['parameters']),
			...(run.errorOutput && { onError: 'continueErrorOutput' }),
		}),
		getWorkflow: () => ({ id: run.workflowId ?? 'workflow-1', active: false }),
		getWorkflowSettings: () => ({}),
		getTimezone: () => 'Europe/Berlin',
		getExecutionId: () => run.executionId,
		getExecuteData: () => run.executeData,
		getExecutionCancelSignal: () => run.signal,
		getInputData: () => input,
		getContext: () => run.nodeMemory,
		getWorkflowDataProxy: () => ({ $runIndex: run.runIndex ?? 0 }),
		async getCredentials() {
			await run.readCredential?.();
			return run.keyOf ? { ...run.credential, apiKey: run.keyOf(item) } : run.credential;
		},
		continueOnFail: () => run.continueOnFail,
		getNodeParameter(name: string, fallback?: unknown, options?: { extractValue?: boolean }) {
			const value = valueAt(run.parameters(item), name);
			if (value === undefined) return fallback;
			return options?.extractValue && isLocator(value) ? value.value : value;
		},
		helpers: {
			httpRequest: run.request,
			async httpRequestWithAuthentication(
				this: IExecuteSingleFunctions,
				credential: string,
				options: IHttpRequestOptions,
			) {
				run.authenticate(options);
				if (run.keyOf) {
					const { apiKey } = await this.getCredentials(credential);
					options.headers = { ...options.headers, Authorization: `Bearer ${String(apiKey)}` };
				}
				return await run.request(options);
			},
			getBinaryDataBuffer: async (field: string) =>
				Buffer.from(binaryOf(field)?.data ?? '', 'base64'),
			getBinaryMetadata: async () => ({ fileSize: 3 }),
			getBinaryStream: async (id: string) => id,
			async prepareBinaryData(
				body: Buffer | AsyncIterable<Buffer>,
				fileName: string,
				mimeType: string,
			) {
				const chunks: Buffer[] = [];
				for await (const chunk of Buffer.isBuffer(body) ? [body] : body)
					chunks.push(Buffer.from(chunk));
				return { data: Buffer.concat(chunks).toString('base64'), fileName, mimeType };
			},
			...run.helpers,
		},
	};
	return { ...context, ...run.lacking } as unknown as IExecuteSingleFunctions;
}
