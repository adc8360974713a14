/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { createRequire } from 'node:module';
import path from 'node:path';
import { LostOfWorkflow } from '../src/creation/idempotency/lostRequests';
import { Run } from '../src/creation/run';
import { ExecutionSum } from '../src/creation/credits/ledger';
import { create } from '../src/creation/creation';
import type { IdempotencyMode, Item } from '../src/creation/item';
import type { RateLimits } from '../src/transport/credential';
import { Workspace } from '../src/transport/workspace';
import type { Clock, Random, Send } from '../src/base/types';
import { hostWith, PLAN, runOf, settingsWith } from '../test/model/run';

/** What the bench drives of the package. This file alone knows it from inside. */
interface Package {
	create: typeof create;
	Workspace: typeof Workspace;
}

const SOURCES: Package = { create, Workspace };

/** As it is published, because tsx makes functions larger than they are. It must have been built. */
export function published(): Package {
	const require = createRequire(__filename);
	const load = (name: string) => require(path.resolve(__dirname, '../dist/src', name)) as unknown;
	return {
		...(load('creation/creation') as Pick<Package, 'create'>),
		...(load('transport/workspace') as Pick<Package, 'Workspace'>),
	};
}

interface Options {
	clock: Clock;
	random: Random;
	send: Send;
	jobs: number;
	/** Distinguishes the keys of several processes. */
	name?: string;
	limits?: RateLimits;
	signal?: AbortSignal;
	prompt?: (item: number) => string;
	idempotency?: IdempotencyMode;
	from?: Package;
}

/** Who asks. One object for all items of a run, as in n8n. */
const REQUESTER: Item['origin']['requester'] = {
	execution: 'execution 1',
	isManual: false,
	nodeId: 'workflow/node',
	credential: 'credential',
	startDataHash: () => '',
};

/**
 * A run of items in a process of n8n of its own, all started at once as n8n starts them.
 * @returns its workspace, and whether each item has got its media
 */
export function startRun(options: Options): { workspace: Workspace; items: Promise<boolean[]> } {
	const { clock, random, send, jobs, name = 'a', limits = PLAN, signal } = options;
	const { prompt = String, idempotency = 'execution', from = SOURCES } = options;
	const workspace = new from.Workspace(limits, clock, random);
	const host = { ...hostWith(send), channel: { send, fairnessKey: 'execution 1', signal } };
	// What the items of a run share in n8n, they share here.
	const shared = {
		host,
		workspace,
		run: new Run(undefined, false, signal),
		lost: new LostOfWorkflow().editor,
		hasService: true,
		executionSum: new ExecutionSum({}),
		nodeMemory: { runId: name, items: {} },
		origin: { requester: REQUESTER },
	};
	const settings = settingsWith({ waitTimeoutMs: Infinity, idempotency });
	const items = Array.from({ length: jobs }, (_, itemIndex) =>
		from.create({ ...runOf({ ...shared, itemIndex, prompt: prompt(itemIndex) }), settings }),
	);
	const made = Promise.all(items).then((results) => results.map(({ ok }) => ok));
	return { workspace, items: made };
}
