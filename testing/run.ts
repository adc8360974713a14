import { ENDPOINTS } from '../src/contract';
import { Batch } from '../src/transport/item/batch';
import type { BinarySource, Host } from '../src/transport/host/host';
import { freshMemory } from '../src/transport/item/itemMemory';
import type { Item } from '../src/transport/item/item';
import type { Settings } from '../src/transport/item/settings';
import { AGENT_TERMINAL_STATUSES } from '../src/transport/jobs/jobState';
import type { Send } from '../src/transport/base/types';
import { Workspace, type RateLimits } from '../src/transport/workspace';
import { LOST } from './answers';
import { seeded } from './random';
import type { VirtualClock } from './virtualClock';

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
	creditWaitTimeoutMs: 3_600_000,
	wanted: Infinity,
	simplify: false,
	includeSecret: false,
	terminalStatuses: AGENT_TERMINAL_STATUSES,
	...settings,
});

export const BASE_URL = 'https://api.example/v1';

/** A host without binary data and network, but for what is given. */
export function hostWith(send: Send, more: Partial<Host> = {}, owner = 'execution 1'): Host {
	return {
		channel: { send, fairnessKey: owner },
		baseUrl: BASE_URL,
		binary: async () => undefined,
		put: async () => LOST as never,
		get: async () => LOST as never,
		store: async () => await Promise.reject(new Error('nothing is stored here')),
		...more,
	};
}

export const sourceWith = (source: Partial<BinarySource> = {}): BinarySource => ({
	fileName: 'cat.png',
	mimeType: 'image/png',
	size: 3,
	identity: 'binary-1',
	open: async () => Buffer.from('cat'),
	...source,
});

export interface RunParts extends Partial<Omit<Item, 'settings' | 'place'>> {
	host: Host;
	workspace: Workspace;
	settings?: Partial<Settings>;
	place?: Partial<Item['origin']>;
	prompt?: string;
}

/** The run of an item that creates a generation. */
export function runOf({ settings, place, prompt = 'a cat', ...parts }: RunParts): Item {
	const memory = parts.memory ?? freshMemory();
	const itemIndex = parts.itemIndex ?? 0;
	const item = place?.item ?? `0:${itemIndex}`;
	const node = parts.node ?? { seed: 'seed', items: {} };
	node.items[item] = memory;
	const { method, path } = ENDPOINTS.createGeneration;
	return {
		request: { method, path, query: {}, body: { mode: 'image', model: 'm', prompt } },
		spec: {
			endpoint: ENDPOINTS.createGeneration,
			output: 'job',
			object: 'generation',
			takesPermit: true,
		},
		batch: new Batch(1, false),
		itemIndex,
		// What the user has written is what is sent, unless a test says otherwise.
		source: prompt,
		handOver: () => {},
		...parts,
		memory,
		node,
		settings: settingsWith(settings),
		origin: {
			seed: 'seed',
			item,
			node: 'workflow/node',
			executionId: 'execution 1',
			...place,
		},
	};
}
