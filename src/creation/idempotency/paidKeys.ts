import { LIMITS } from '../../api';
import { shortHash } from '../../base/hash';
import { BoundedMap } from '../../base/maps';
import { MINUTE_MS } from '../../base/times';
import type { Progress } from '../progress';

/*
 * The keys under which this process has had a job made, for a day. A request under such a key is only
 * repeated: the service answers it with that job, for nothing, so no limit of credits holds it back.
 */

/** More keys than a workspace uses in a day. */
const MOST_KEYS = 20_000;

/** Of a workspace. */
class PaidKeys {
	/** When each was first used, on both clocks, by a hash of the key. */
	readonly since = new BoundedMap<string, { wall: number; monotonic: number }>(MOST_KEYS);

	get mayBeForgotten(): boolean {
		return this.since.size === 0;
	}
}

type Asking = Pick<Progress, 'item' | 'requestHash'>;

const paidKeysOf = ({ item }: Asking): PaidKeys => item.workspace.shared(PaidKeys);

/**
 * The path is in the name, because a service may keep the keys of each path by themselves; the hash of the
 * request, because under a key of the user's own two requests may differ.
 */
const nameOfKey = ({ item, requestHash }: Asking, key: string): string =>
	shortHash(`${item.request.path}\n${requestHash}\n${key}`);

/** For a day the service gives the job under the key of this request for nothing. */
export function rememberPaidKey(progress: Progress): void {
	const { item, lastRequest } = progress;
	const { key, since } = lastRequest;
	if (key === undefined) return;
	const { clock } = item.workspace;
	const wall = clock.now() - (clock.monotonic() - since);
	paidKeysOf(progress).since.set(nameOfKey(progress, key), { wall, monotonic: since });
}

/** There may be no job under the key of this request: it has failed, or credits were wanted for it. */
export function forgetPaidKey(progress: Progress): void {
	const { key } = progress.lastRequest;
	if (key !== undefined) paidKeysOf(progress).since.delete(nameOfKey(progress, key));
}

/** The service does not keep its keys, so no request is known to be repeated for nothing any more. */
export const forgetAllPaidKeys = (progress: Progress): void => paidKeysOf(progress).since.clear();

/** The request may have been under way for a while, and the service drops keys by a clock of its own. */
const MARGIN_MS = 60 * MINUTE_MS;

/**
 * Whether a job that was paid for is known to stand under this key, so that a request under it is only a
 * repetition.
 */
export function isPaidKey(asking: Asking, key: string | undefined): boolean {
	if (key === undefined) return false;
	const { clock } = asking.item.workspace;
	const since = paidKeysOf(asking).since.get(nameOfKey(asking, key));
	if (since === undefined) return false;
	// One clock stands still while the machine sleeps, and the other may be set back: the greater age counts.
	const age = Math.max(clock.now() - since.wall, clock.monotonic() - since.monotonic);
	return age < LIMITS.idempotencyHours * 60 * MINUTE_MS - MARGIN_MS;
}
