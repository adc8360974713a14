import type { Clock } from './clock';
import type { Ledger } from './credits/ledger';
import type { UsageLog } from './credits/usage';
import type { Dispatcher } from './deliveries';
import type { Faults } from './faults';
import type { Idempotency } from './http/idempotency';
import type { RateLimiter } from './http/rateLimit';
import type { RequestLog } from './http/exchange';
import type { Ids, SeededRandom } from './ids';
import type { Settings } from './settings';
import type { Library } from './storage/library';
import type { Links } from './storage/links';
import type { Store } from './store';

/** Everything that the code of an operation may use. */
export interface Service {
	settings: Settings;
	clock: Clock;
	random: SeededRandom;
	ids: Ids;
	store: Store;
	ledger: Ledger;
	usage: UsageLog;
	faults: Faults;
	limiter: RateLimiter;
	idempotency: Idempotency;
	requests: RequestLog;
	links: Links;
	library: Library;
	dispatcher: Dispatcher;
	/** Resolves when all that was stored so far is safe. */
	committed(): Promise<void>;
	/** Reports internal errors, so that tests can assert that there are none. */
	report(fault: unknown): void;
}
