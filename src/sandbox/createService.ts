import type { Clock } from './state/clock';
import { Dispatcher } from './webhooks/dispatcher';
import { Faults } from './http/faults';
import { Idempotency, type Reply } from './http/idempotency';
import { RateLimiter } from './http/rateLimit';
import { RequestLog } from './http/requestLog';
import { Ids } from './state/ids';
import type { StateDatabase } from './persistence/database';
import { restore } from './persistence/restore';
import { Ledger } from './credits/ledger';
import { SeededRandom } from './state/seededRandom';
import { assemble, type Service } from './service';
import type { Settings } from './state/settings';
import { seedKeys } from './seedKeys';
import { Library, type Render } from './storage/library';
import { Links } from './storage/links';
import { Outputs } from './storage/outputs';
import { Store } from './state/store';
import { noPersistence, type Persistence } from './state/table';
import { UsageLog } from './credits/usage';

export interface ServiceOptions {
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
export async function createService(plan: ServiceOptions): Promise<Service> {
	const { seed, clock, settings, origin, report } = plan;
	const random = new SeededRandom(seed);
	const { kept } = plan;
	const persistence: Persistence = kept ?? noPersistence;
	const store = new Store(persistence);
	const service: Service = assemble({
		settings,
		clock,
		random,
		ids: new Ids(seed, kept ? countStart(kept) : 0),
		store,
		ledger: new Ledger(
			() => clock.now(),
			(line) => persistence.put('ledger', String(line.sequence).padStart(12, '0'), line),
		),
		faults: new Faults(random),
		limiter: new RateLimiter(clock),
		idempotency: new Idempotency(clock, store.persistence, (reply) => isStillGood(service, reply)),
		requests: new RequestLog(),
		links: new Links(origin, `links of ${seed}`, clock, plan.local),
		library: new Library(plan.directory, plan.render),
		outputs: new Outputs(),
		usage: new UsageLog(
			() => clock.now(),
			(line) => persistence.put('usage', line.id, line),
		),
		dispatcher: new Dispatcher(() => service, plan.deliveryCa),
		committed: async () => await kept?.committed(),
		report,
	});
	await service.library.open();
	if (kept) restore(service, kept);
	seedKeys(service);
	await service.committed();
	return service;
}

/** How often the kept state was started on before. */
function countStart(kept: StateDatabase): number {
	const starts = Number(kept.get('meta', 'starts') ?? 0);
	kept.put('meta', 'starts', starts + 1);
	return starts;
}

/** Open point 26: whether the key of a generation that has failed gives the stored answer again. */
function isStillGood({ settings, store }: Service, { body }: Reply): boolean {
	if (settings.idempotencyFailed === 'stored') return true;
	const id = (body as { id?: string } | undefined)?.id ?? '';
	for (const { generations } of store.workspaces.values()) {
		if (generations.get(id)?.status === 'failed') return false;
	}
	return true;
}
