import { formatMilliseconds } from '../formatters/date';
import type { RequestEntry } from '../http/requestLog';
import { listKeys } from '../seedKeys';
import type { Service } from '../service';
import type { DeliveryEntity, Stored } from '../state/entities';
import type { Table } from '../state/table';

import { jobsOf } from './jobs';

const SHOWN = 40;

/** What the page shows: the newest of everything, cheap enough to be asked for every second. */
export function overview(service: Service): object {
	const { ledger, faults, requests, clock, store, links, settings } = service;
	const workspaces = [...store.workspaces.values()];
	const latest = <T extends Stored>(table: Table<T>): T[] => table.page(SHOWN).entities;
	return {
		base_url: `${links.origin}/v1`,
		now: formatMilliseconds(clock.now()),
		clock_scale: clock.scale,
		keys: listKeys(service),
		workspaces: workspaces.map(({ id, entity, running }) => ({
			id,
			entitled: entity.entitled,
			running: running.size,
			concurrent_jobs: settings.concurrentJobs,
			...ledger.balance(id),
		})),
		jobs: newest(workspaces.flatMap((workspace) => jobsOf(service, workspace, latest))).map(
			({ createdAt, ...job }) => ({ ...job, created: formatMilliseconds(createdAt / 1000) }),
		),
		requests: requests
			.latest(SHOWN * 4)
			.filter(({ path }) => path.startsWith('/v1'))
			.slice(0, SHOWN)
			.map(shownRequest),
		requests_total: requests.total,
		deliveries: newest(
			workspaces.flatMap(({ deliveries }) => [...deliveries.values()].flatMap(latest)),
		).map(shownDelivery),
		faults: faults.list(),
		settings,
	};
}

const shownRequest = ({ at, ...entry }: RequestEntry) => ({
	id: entry.id,
	at: formatMilliseconds(at),
	method: entry.method,
	path: entry.path,
	workspace: entry.workspace,
	status: entry.status,
	answered: entry.answered,
	duration_ms: entry.durationMs,
	fault: entry.fault,
	error: entry.error,
});

const shownDelivery = (entity: DeliveryEntity) => ({
	id: entity.id,
	at: formatMilliseconds(entity.attemptedAt),
	event: entity.event,
	url: entity.url,
	attempt: entity.attempt,
	state: entity.state,
	status: entity.responseStatus,
	fault: entity.fault,
	error: entity.error,
});

function newest<T extends { createdAt: number }>(entities: T[]): T[] {
	return entities.sort((a, b) => b.createdAt - a.createdAt).slice(0, SHOWN);
}
