import type { Faults } from '../http/faults';
import type { Clock } from '../state/clock';
import type { Ids } from '../state/ids';
import type { Settings } from '../state/settings';
import type { Store } from '../state/store';

/** What deliveries need of the service, which itself holds their dispatcher. */
export interface DeliveryContext {
	ids: Ids;
	clock: Clock;
	settings: Settings;
	faults: Faults;
	store: Store;
	report: (fault: unknown) => void;
}
