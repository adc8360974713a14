import { ENDPOINTS } from '../../src/api';
import { create } from '../../src/creation/creation';
import { LostOfWorkflow } from '../../src/creation/idempotency/lostRequests';
import { Run } from '../../src/creation/run';
import type { BinarySource, Host } from '../../src/transport/host';
import { ExecutionSum } from '../../src/creation/credits/ledger';
import { newMemory, type NodeMemory } from '../../src/creation/idempotency/itemState';
import type { Item, Settings } from '../../src/creation/item';
import { asksForFirstModel } from '../../src/fields/locators';
import { AGENT_STATUSES } from '../../src/transport/jobState';
import { ok, type Result } from '../../src/base/result';
import type { ApiRequest, Resource, Send, SendResult } from '../../src/base/types';
import type { RateLimits } from '../../src/transport/credential';
import { Workspace } from '../../src/transport/workspace';
import { LOST } from './answers';
import { ModelService, type ServiceSettings } from './modelService';
import { seeded } from './random';
import { VirtualClock } from './virtualClock';

export const PLAN: RateLimits = { requestsPerMinute: 60, concurrentJobs: 5 };

export const workspaceWith = (clock: VirtualClock, limits: Partial<RateLimits> = {}) =>
	new Workspace({ ...PLAN, ...limits }, clock, seeded(1));

export const settingsWith = (settings: Partial<Settings> = {}): Settings => ({
	waitForCompletion: true,
	downloadOutputs: false,
	waitTimeoutMs: 1_800_000,
	splitOutputs: false,
	outputBinaryField: 'data',
	idempotency: 'execution',
	idempotencyKey: '',
	onInsufficientCredits: 'stop',
	maxCredits: Infinity,
	maxCreditsPerDay: Infinity,
	dryRun: false,
	creditWaitTimeoutMs: 3_600_000,
	limit: Infinity,
	simplify: false,
	includeSecret: false,
	terminalStatuses: AGENT_STATUSES.any,
	...settings,
});

const BASE_URL = 'https://api.example/v1';

/** A host without binary data and network, but for what is given. */
export function hostWith(send: Send, more: Partial<Host> = {}, fairnessKey = 'execution 1'): Host {
	return {
		channel: { send, fairnessKey },
		baseUrl: BASE_URL,
		answerMs: 120_000,
		binary: async () => undefined,
		put: async () => LOST as never,
		get: async () => LOST as never,
		store: async () => await Promise.reject(new Error('nothing is stored here')),
		...more,
	};
}

export const sourceWith = (source: Partial<BinarySource> = {}): BinarySource => ({
	fileName: 'cat.mp3',
	mimeType: 'audio/mpeg',
	// Nobody looks further.
	open: async () => Buffer.from('ID3'),
	...source,
});

export interface RunParts extends Partial<Omit<Item, 'settings' | 'origin'>> {
	host: Host;
	workspace: Workspace;
	settings?: Partial<Settings>;
	origin?: Partial<Item['origin']> & { executionId?: string; nodeId?: string };
	prompt?: string;
	model?: string;
}

/** The plan of an operation is the same for all items. */
export const CREATE: Item['spec'] = {
	endpoint: ENDPOINTS.createGeneration,
	output: 'job',
	object: 'generation',
	takesSlot: 'media',
	creates: true,
	charges: true,
};

/** The run of an item that creates a generation. */
export function runOf({
	settings,
	origin,
	prompt = 'a cat',
	model = 'm',
	...parts
}: RunParts): Item {
	const memory = parts.memory ?? newMemory();
	const itemIndex = parts.itemIndex ?? 0;
	const item = origin?.place ?? `0:${itemIndex}`;
	// Items that share no memory of a node are of executions of their own.
	const nodeMemory: NodeMemory = parts.nodeMemory ?? { runId: `run of ${item}`, items: {} };
	nodeMemory.items[item] = memory;
	const execution = origin?.executionId ?? 'execution 1';
	nodeMemory.startedIn ??= origin?.requester?.execution ?? execution;
	const { method, path } = ENDPOINTS.createGeneration;
	const usual: ApiRequest = { method, path, query: {}, body: { mode: 'image', model, prompt } };
	return {
		request: usual,
		lacksModel: asksForFirstModel(parts.request ?? usual),
		spec: CREATE,
		run: parts.run ?? new Run(undefined, false, parts.host.channel.signal),
		lost: parts.lost ?? new LostOfWorkflow().editor,
		hasService: true,
		executionSum: new ExecutionSum({}),
		itemIndex,
		// What the user has written is what is sent, unless a test says otherwise.
		userInputHash: prompt,
		...parts,
		memory,
		nodeMemory,
		settings: settingsWith(settings),
		origin: {
			place: item,
			requester: {
				execution,
				isManual: origin?.mode === 'manual',
				nodeId: origin?.nodeId ?? 'workflow/node',
				credential: 'credential',
				startDataHash: () => '',
			},
			mode: 'production',
			timezone: 'UTC',
			mayResumeLost: false,
			...origin,
		},
	};
}

/** Creates what an item asks for, which is one job. */
export async function createJob(item: Item): Promise<Result<Resource>> {
	const made = await create(item);
	return made.ok ? ok(made.value.resources[0] as Resource) : made;
}

/** All items of one run of a node, started at once as n8n does. */
export async function runAll<T>(
	count: number,
	partsOf: (itemIndex: number) => RunParts,
	operation: (item: Item) => Promise<T>,
	run?: Run,
): Promise<T[]> {
	const parts = Array.from({ length: count }, (_, itemIndex) => partsOf(itemIndex));
	const ofAll = run ?? new Run(undefined, false, parts[0]?.host.channel.signal);
	const items = parts.map((one, itemIndex) => runOf({ run: ofAll, itemIndex, ...one }));
	return await Promise.all(items.map(async (item) => await operation(item)));
}

/** A service, before which a gateway may answer in its place, and one item that asks it for a job. */
export function oneItem(service: Partial<ServiceSettings> = {}) {
	const clock = new VirtualClock();
	const model = new ModelService(clock, service);
	const workspace = workspaceWith(clock);
	let gateway: (request: ApiRequest) => SendResult | undefined = () => undefined;
	const sent: ApiRequest[] = [];
	const host = hostWith(async (request) => {
		sent.push(request);
		return gateway(request) ?? (await model.send(request));
	});
	const memory = newMemory();
	const nodeMemory = { runId: 'run', items: {} };
	return {
		clock,
		model,
		workspace,
		host,
		memory,
		make: async (more: Partial<RunParts> = {}) =>
			await clock.run(createJob(runOf({ host, workspace, memory, nodeMemory, ...more }))),
		through(rule: typeof gateway) {
			gateway = rule;
		},
		/** The keys of all creations that were sent. */
		keys: () =>
			sent
				.filter(({ method }) => method === 'POST')
				.map(({ headers }) => headers?.['Idempotency-Key']),
	};
}
