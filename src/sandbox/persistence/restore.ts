import { publishAsset, watchRun } from '../engine/agentWork';
import { publishPreview } from '../engine/customVoices';
import { publishGenerated, watchGeneration } from '../engine/generations';
import { publishPortrait, watchPersona } from '../engine/personas';
import { publishSpoken, watchSpeech } from '../engine/speech';
import type {
	DeliveryEntity,
	KeyEntity,
	PendingDelivery,
	Stored,
	WorkspaceEntity,
} from '../state/entities';
import type { KeptReply } from '../http/idempotency';
import type { LedgerLine } from '../credits/ledger';
import type { Service } from '../service';
import type { Workspace } from '../state/store';
import type { Table } from '../state/table';
import type { UsageLine } from '../credits/usage';
import type { StateDatabase, TableName } from './database';

/** Resumes the stored state: entities, balances, links, and whatever was still to happen. */
export function restore(service: Service, database: StateDatabase): void {
	const { store, ledger, usage, idempotency } = service;
	database.values<WorkspaceEntity>('workspaces').forEach((entity) => store.addWorkspace(entity));
	database.values<KeyEntity>('keys').forEach((entity) => store.addKey(entity));
	ledger.restore(database.values<LedgerLine>('ledger'));
	usage.restore(database.values<UsageLine>('usage'));
	idempotency.restore(database.values<KeptReply>('idempotency'));
	for (const name of ['files', 'generations', 'speech', 'agentRuns'] as const)
		fill(service, database, name);
	for (const name of ['voices', 'personas', 'webhooks'] as const) fill(service, database, name);
	for (const each of byCreation(database.values<DeliveryEntity>('deliveries'))) {
		store.workspaces.get(each.workspace)?.deliveriesOf(each.webhookId).restore(each);
	}
	for (const workspace of store.workspaces.values()) {
		publishAll(service, workspace);
		resumeJobs(service, workspace);
		releaseUnowned(service, workspace);
	}
	for (const each of database.values<PendingDelivery>('pending')) service.dispatcher.resume(each);
}

type EntityTable = Extract<TableName, keyof Workspace>;

function fill({ store }: Service, database: StateDatabase, name: EntityTable): void {
	for (const entity of byCreation(database.values<Stored>(name))) {
		const workspace = store.workspaces.get(entity.workspace);
		(workspace?.[name] as Table<Stored> | undefined)?.restore(entity);
		if (name === 'files') store.owners.set(entity.id, entity.workspace);
	}
}

function byCreation<T extends Stored>(entities: T[]): T[] {
	return entities.sort((a, b) => a.createdAt - b.createdAt);
}

function publishAll(service: Service, workspace: Workspace): void {
	for (const entity of workspace.generations.all()) {
		if (entity.status === 'queued') continue;
		entity.outputs.forEach((output) => publishGenerated(service, workspace, entity, output));
	}
	for (const entity of workspace.speech.all()) {
		if (entity.status === 'completed') publishSpoken(service, workspace, entity);
	}
	for (const entity of workspace.agentRuns.all()) {
		entity.outputs.forEach((output) => publishAsset(service, workspace, entity, output));
	}
	for (const entity of workspace.voices.all()) publishPreview(service, workspace, entity);
	for (const entity of workspace.personas.all()) publishPortrait(service, workspace, entity);
}

function resumeJobs(service: Service, workspace: Workspace): void {
	for (const entity of workspace.generations.all()) {
		if (entity.status === 'queued') watchGeneration(service, workspace, entity);
	}
	for (const entity of workspace.speech.all()) {
		if (entity.status === 'queued') watchSpeech(service, workspace, entity);
	}
	for (const entity of workspace.personas.all()) {
		if (entity.status === 'pending') watchPersona(service, workspace, entity);
	}
	for (const entity of workspace.agentRuns.all().reverse()) {
		if (entity.status === 'waiting') workspace.waitingRuns.push(entity.id);
		else if (['queued', 'running'].includes(entity.status)) watchRun(service, workspace, entity);
	}
}

/**
 * Credits reserved for what no longer exists: a described persona that was deleted while it was
 * made.
 */
function releaseUnowned({ ledger }: Service, workspace: Workspace): void {
	const { generations, speech, agentRuns, personas } = workspace;
	for (const resource of ledger.openHolds(workspace.id)) {
		const known = [generations, speech, agentRuns, personas].some((table) => table.get(resource));
		if (!known) ledger.settle(workspace.id, resource, 0);
	}
}
