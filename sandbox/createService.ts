import { SCOPES } from '../src/contract';
import type { LedgerLine } from './credits/ledger';
import type { UsageLine } from './credits/usage';
import type {
	DeliveryEntity,
	KeyEntity,
	PendingDelivery,
	Stored,
	WorkspaceEntity,
} from './entities';
import type { KeptReply } from './http/idempotency';
import type { StateDatabase } from './persistence';
import { JOBS } from './resources';
import { schedule } from './resources/job';
import { Service, type ServiceOptions } from './service';
import type { Table } from './store';

/** Builds the service, with the state that was kept, and opens its workspaces. */
export function createService(options: ServiceOptions): Service {
	const service = new Service(options);
	if (options.kept) restore(service, options.kept);
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
	for (const workspace of store.workspaces.values())
		for (const kind of JOBS)
			for (const job of kind.tableOf(workspace).all()) schedule(workspace, job, kind);
	for (const each of kept.values<PendingDelivery>('pending')) service.dispatcher.schedule(each);
}

const ENTITIES = [
	'files',
	'outputs',
	'generations',
	'speech',
	'agentRuns',
	'voices',
	'personas',
	'webhooks',
] as const;

const byCreation = <T extends Stored>(entities: T[]) =>
	entities.sort((a, b) => a.createdAt - b.createdAt);
