import { LIMITS } from '../api';
import { shortHash } from '../base/hash';
import { MINUTE_MS } from '../transport/tuning';
import type { Progress } from './progress';

/*
 * Keys under which this process has had a job made, for a day: under such a key the service gives that job
 * again, for nothing, so no limit of credits is there for it.
 */

type Asking = Pick<Progress, 'item' | 'content'>;

/**
 * A service may keep the keys of each path by themselves. Under a key of the user's own, requests may differ.
 */
const nameOfKey = ({ item, content }: Asking, key: string): string =>
	shortHash(`${item.request.path}\n${content}\n${key}`);

/** Under the key of the request a job was made just now, which the service gives for nothing for a day. */
export function noteKey(progress: Progress): void {
	const { key, since } = progress.out;
	if (key === undefined) return;
	const { clock, paidKeys } = progress.item.workspace;
	const wall = clock.now() - (clock.monotonic() - since);
	paidKeys.set(nameOfKey(progress, key), { wall, monotonic: since });
}

/** Its job has failed: some services drop it then. */
export function forgetKey(progress: Progress): void {
	const { item, out } = progress;
	if (out.key !== undefined) item.workspace.paidKeys.delete(nameOfKey(progress, out.key));
}

/** The job may have been on its way for a while, and keys are dropped by another clock. */
const MARGIN_MS = 60 * MINUTE_MS;

/** Whether a request under this key is known to be only a repetition, which costs nothing. */
export function isPaidKey(asking: Asking, key: string | undefined): boolean {
	const { clock, paidKeys } = asking.item.workspace;
	if (key === undefined) return false;
	const since = paidKeys.get(nameOfKey(asking, key));
	if (since === undefined) return false;
	// One clock stands still while the machine sleeps, the other may be set back.
	const age = Math.max(clock.now() - since.wall, clock.monotonic() - since.monotonic);
	return age < LIMITS.idempotencyHours * 60 * MINUTE_MS - MARGIN_MS;
}
