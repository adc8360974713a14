import { SCOPES } from '../src/contract';
import type { Clock } from './clock';
import { Ledger, type LedgerLine } from './credits/ledger';
import { UsageLog, type UsageLine } from './credits/usage';
import { Dispatcher } from './deliveries';
import type {
	DeliveryEntity,
	KeyEntity,
	PendingDelivery,
	Stored,
	WorkspaceEntity,
} from './entities';
import { Faults } from './faults';
import { Idempotency, type KeptReply } from './http/idempotency';
import { RateLimiter } from './http/rateLimit';
import { RequestLog } from './http/exchange';
import { Ids, SeededRandom } from './ids';
import type { StateDatabase } from './persistence';
import { watchRun } from './resources/agentRuns';
import { watchGeneration } from './resources/generations';
import { watchPersona } from './resources/personas';
import { watchSpeech } from './resources/speech';
import type { Service } from './service';
import type { Settings } from './settings';
import { Library, type Render } from './storage/library';
import { Links } from './storage/links';
import { noPersistence, Store, type Table, type Workspace } from './store';

interface ServiceOptions {
	seed: number;
	/** Where addresses in answers point to, and where the sandbox listens. */
	origin: string;
	local: string;
	settings: Settings;
	clock: Clock;
	/** Where files lie. */
	directory: string;
	render: Render;
	report: (fault: unknown) => void;
	/** A certificate (PEM) that deliveries trust. */
	deliveryCa?: string;
	/** State kept over restarts; in memory only without it. */
	kept?: StateDatabase;
}

/** Builds the service from its parts and opens its workspaces. */
export function createService(plan: ServiceOptions): Service {
	const { seed, clock, settings, report, kept } = plan;
	const persistence = kept ?? noPersistence;
	const [random, store] = [new SeededRandom(seed), new Store(persistence)];
	const [ids, faults] = [new Ids(seed, kept?.countStart()), new Faults(random)];
	const now = () => clock.now();
	const numbered = (sequence: number) => String(sequence).padStart(12, '0');
	const context = { ids, clock, settings, faults, store, report, ca: plan.deliveryCa };
	const service: Service = {
		...{ settings, clock, random, ids, store, faults, report },
		dispatcher: new Dispatcher(context),
		ledger: new Ledger(now, (line) => persistence.put('ledger', numbered(line.sequence), line)),
		usage: new UsageLog(now, (line) => persistence.put('usage', line.id, line)),
		limiter: new RateLimiter(clock),
		idempotency: new Idempotency(clock, persistence),
		requests: new RequestLog(),
		links: new Links(plan.origin, `links of ${seed}`, clock, plan.local),
		library: new Library(plan.directory, plan.render),
		committed: async () => await kept?.committed(),
	};
	if (kept) restore(service, kept);
	openWorkspaces(service);
	return service;
}

/** A key as printed at the start of the sandbox. */
export interface KeyInfo extends KeyEntity {
	entitled: boolean;
}

const READ_SCOPES = SCOPES.filter((scope) => scope.endsWith(':read'));

/**
 * The keys at start, in this order. They are the same every time, so that a saved credential lasts.
 */
const KEYS_AT_START: KeyInfo[] = [
	{ key: 'mgs_live_studio_all', workspace: 'studio', scopes: [...SCOPES], entitled: true },
	{ key: 'mgs_live_studio_read', workspace: 'studio', scopes: READ_SCOPES, entitled: true },
	{ key: 'mgs_live_annex_all', workspace: 'annex', scopes: [...SCOPES], entitled: true },
	{ key: 'mgs_live_trial_all', workspace: 'trial', scopes: [...SCOPES], entitled: false },
];

/**
 * Opens the workspaces of the start and gives each its credits; existing ones are left as they are.
 */
function openWorkspaces({ store, ledger, settings }: Service): void {
	for (const { key, workspace: id, scopes, entitled } of KEYS_AT_START) {
		if (!store.workspaces.has(id)) {
			store.addWorkspace({ id, entitled, liteCarry: 0 });
			ledger.grant(id, settings.initialCredits);
		}
		if (!store.keys.has(key)) store.addKey({ key, workspace: id, scopes });
	}
}

/** All keys that there are now: those of the start in their order, then the others. */
export function listKeys({ store }: Service): KeyInfo[] {
	const first = KEYS_AT_START.flatMap(({ key }) => store.keys.get(key) ?? []);
	const all = new Set([...first, ...store.keys.values()]);
	return [...all].map(({ key, workspace, scopes }) => {
		const entitled = store.workspaces.get(workspace)?.entity.entitled ?? false;
		return { key, workspace, scopes, entitled };
	});
}

/** Resumes the stored state: entities, balances, and whatever was still to happen. */
function restore(service: Service, kept: StateDatabase): void {
	const { store, ledger, usage, idempotency } = service;
	for (const entity of kept.values<WorkspaceEntity>('workspaces')) store.addWorkspace(entity);
	for (const entity of kept.values<KeyEntity>('keys')) store.addKey(entity);
	ledger.restore(kept.values<LedgerLine>('ledger'));
	usage.restore(kept.values<UsageLine>('usage'));
	idempotency.restore(kept.values<KeptReply>('idempotency'));
	for (const name of ENTITIES) {
		for (const entity of byCreation(kept.values<Stored>(name))) {
			const workspace = store.workspaces.get(entity.workspace);
			(workspace?.[name] as Table<Stored> | undefined)?.restore(entity);
		}
	}
	for (const each of byCreation(kept.values<DeliveryEntity>('deliveries'))) {
		store.workspaces.get(each.workspace)?.deliveriesOf(each.webhookId).restore(each);
	}
	for (const workspace of store.workspaces.values()) resume(service, workspace);
	for (const each of kept.values<PendingDelivery>('pending')) service.dispatcher.schedule(each);
}

const ENTITIES = [
	...(['files', 'outputs', 'generations', 'speech'] as const),
	...(['agentRuns', 'voices', 'personas', 'webhooks'] as const),
];

const byCreation = <T extends Stored>(entities: T[]) =>
	entities.sort((a, b) => a.createdAt - b.createdAt);

function resume(service: Service, workspace: Workspace): void {
	const { generations, speech, agentRuns, personas } = workspace;
	for (const entity of generations.all()) {
		if (entity.status === 'queued') watchGeneration(service, workspace, entity);
	}
	for (const entity of speech.all()) {
		if (entity.status === 'queued') watchSpeech(service, workspace, entity);
	}
	for (const entity of personas.all()) {
		if (entity.status === 'pending') watchPersona(service, workspace, entity);
	}
	for (const entity of agentRuns.all().reverse()) {
		if (entity.status === 'waiting') workspace.waitingRuns.push(entity.id);
		else if (['queued', 'running'].includes(entity.status)) watchRun(service, workspace, entity);
	}
	// Of a described persona that was deleted while it was made.
	for (const resource of service.ledger.openHolds(workspace.id)) {
		const known = [generations, speech, agentRuns, personas].some((table) => table.get(resource));
		if (!known) service.ledger.settle(workspace.id, resource, 0);
	}
}
