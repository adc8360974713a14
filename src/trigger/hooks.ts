import { systemClock } from '../base/clock';
import type { Clock } from '../base/types';

/**
 * How long all requests of a hook may take together, in ms. n8n tries an unpublishing three times and
 * a publishing five times, 1, 2, 4 and 8 s apart: so the first ends within 20 s, and the second before
 * n8n ends it after 84 s in words of its own.
 */
export const HOOK_MS = 12_000;

/** What a repeat has at least, in ms: the service may be back. */
const REPEAT_MS = 1_000;

/** What begins so soon after another hook belongs to it, in ms. */
const PAUSE_MS = 9_000;

/** When the time of a hook and of its repeats is over, and when the last of them ended. */
interface Window {
	until: number;
	endedAt: number;
}

/** By trigger, until a hook has done what it is for. */
const windows = new Map<string, Window>();

/**
 * Runs a hook of n8n within {@link HOOK_MS}, which it shares with its repeats and with the deletion that
 * n8n asks for after a publishing that failed.
 * @param name of the trigger
 * @param task ends soon after its signal has fired; `true` once that is done
 */
export async function runHook(
	name: string,
	task: (deadline: AbortSignal) => Promise<boolean>,
	clock: Clock = systemClock,
): Promise<boolean> {
	const startedAt = clock.monotonic();
	const before = windows.get(name);
	const isRepeat = before !== undefined && startedAt - before.endedAt < PAUSE_MS;
	const until = isRepeat ? before.until : startedAt + HOOK_MS;
	let isDone = false;
	try {
		isDone = await task(AbortSignal.timeout(Math.max(REPEAT_MS, Math.ceil(until - startedAt))));
		return isDone;
	} finally {
		if (isDone) windows.delete(name);
		else windows.set(name, { until, endedAt: clock.monotonic() });
	}
}
