import { randomBytes } from 'crypto';

import type { EventKind } from '../contract';
import type { Clock } from './state/clock';
import type { Dispatcher } from './webhooks/dispatcher';
import type { Faults } from './http/faults';
import type { Idempotency } from './http/idempotency';
import type { RateLimiter } from './http/rateLimit';
import type { RequestLog } from './http/requestLog';
import type { Ids } from './state/ids';
import type { Ledger } from './credits/ledger';
import type { SeededRandom } from './state/seededRandom';
import type { Settings } from './state/settings';
import type { Library } from './storage/library';
import type { Links } from './storage/links';
import type { Outputs } from './storage/outputs';
import type { Store, Workspace } from './state/store';
import type { UsageLog } from './credits/usage';

/** Everything that the code of an operation may use. */
export interface ServiceParts {
	settings: Settings;
	clock: Clock;
	random: SeededRandom;
	ids: Ids;
	store: Store;
	ledger: Ledger;
	faults: Faults;
	limiter: RateLimiter;
	idempotency: Idempotency;
	requests: RequestLog;
	links: Links;
	library: Library;
	outputs: Outputs;
	usage: UsageLog;
	dispatcher: Dispatcher;
	/** Resolves when all that was stored so far is safe. */
	committed: () => Promise<void>;
	/** Reports internal errors, so that tests can assert that there are none. */
	report: (fault: unknown) => void;
}

export interface Service extends ServiceParts {
	requestId(): string;
	/**
	 * Notifies the workspace's webhooks of an event; the resource is formatted only if one wants it.
	 */
	emit(workspace: Workspace, event: EventKind, resource: () => object): void;
}

const PER_PROCESS = randomBytes(4).toString('hex');

/**
 * Puts the parts together. Request ids are not drawn from the seed: a repeated request must not
 * shift other ids.
 */
export function assemble(parts: ServiceParts): Service {
	let count = 0;
	return {
		...parts,
		emit: (workspace, event, resource) => parts.dispatcher.emit(workspace, event, resource),
		requestId() {
			count += 1;
			return `req_${PER_PROCESS}${count.toString(16).padStart(8, '0')}`;
		},
	};
}
