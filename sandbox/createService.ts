import { SCOPES } from '../src/api';
import type { KeyEntity, PendingDelivery } from './entities';
import { JOBS } from './resources';
import { schedule } from './resources/job';
import { Service, type ServiceOptions } from './service';

/** Builds the service, opens its workspaces, and goes on with whatever was still to happen. */
export function createService(options: ServiceOptions): Service {
	const service = new Service(options);
	openWorkspaces(service);
	for (const workspace of service.store.workspaces.values())
		for (const kind of JOBS)
			for (const job of kind.tableOf(workspace).all()) schedule(workspace, job, kind);
	const pending = service.persistence.values<PendingDelivery>('pending');
	for (const each of pending) service.dispatcher.schedule(each);
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
