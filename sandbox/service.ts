import { Ledger } from './credits/ledger';
import { UsageLog } from './credits/usage';
import type { Clock } from './clock';
import { Dispatcher } from './deliveries';
import { Faults } from './faults';
import { Idempotency } from './http/idempotency';
import { RequestLog } from './http/exchange';
import { Ids, SeededRandom } from './ids';
import type { StateDatabase } from './persistence';
import type { Settings } from './settings';
import { Library, type Render } from './storage/library';
import { Links } from './storage/links';
import { noPersistence, Store, type Persistence } from './store';

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

/** All parts of the service, and its state; a reset makes another one. */
export class Service {
	readonly settings: Settings;
	readonly clock: Clock;
	readonly persistence: Persistence;
	readonly random: SeededRandom;
	readonly ids: Ids;
	readonly store: Store;
	readonly ledger: Ledger;
	readonly usage: UsageLog;
	readonly faults: Faults;
	readonly idempotency: Idempotency;
	readonly requests = new RequestLog();
	readonly links: Links;
	readonly library: Library;
	readonly dispatcher: Dispatcher;
	/** Resolves when all that was stored so far is safe. */
	readonly committed: () => Promise<void>;
	/** Reports internal errors, so that tests can assert that there are none. */
	readonly report: (fault: unknown) => void;

	constructor({ seed, settings, clock, report, kept, ...plan }: ServiceOptions) {
		const persistence = kept ?? noPersistence;
		this.settings = settings;
		this.clock = clock;
		this.persistence = persistence;
		this.random = new SeededRandom(seed);
		this.ids = new Ids(seed, kept?.countStart());
		this.store = new Store(this);
		this.ledger = new Ledger(clock, persistence);
		this.usage = new UsageLog(clock, persistence);
		this.faults = new Faults(this.random);
		this.idempotency = new Idempotency(clock, persistence);
		this.links = new Links(plan.origin, `links of ${seed}`, clock, plan.local);
		this.library = new Library(plan.directory, plan.render);
		this.dispatcher = new Dispatcher(this, plan.deliveryCa);
		this.committed = async () => await kept?.committed();
		this.report = report;
	}
}
