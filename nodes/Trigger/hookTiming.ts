import type { IHookFunctions } from 'n8n-workflow';
import { systemClock } from '../../src/base/clock';
import type { Clock } from '../../src/base/types';

/*
 * When n8n asks a trigger to register and to delete its webhook, and how often.
 *
 * A hook that fails is repeated within seconds: all repeats share the time of one (`runHook`).
 *
 * When a changed workflow is published, n8n deletes the webhook of the old version and asks for that of the
 * new one moments later. A service that is told so drops the events that are on their way, and all repeats of
 * earlier ones. Nothing tells n8n's two reasons to delete apart, so a webhook stays for a while
 * (`deleteLater`) and is deleted when nobody has asked for it again (`callBack`).
 */

/**
 * How long all requests of a hook may take together, in ms. n8n tries to unpublish three times and to publish
 * five times, 1, 2, 4 and 8 s apart. So the first ends within 20 s, and the second before n8n ends it after
 * 84 s with an error of its own.
 */
export const HOOK_MS = 12_000;

/** How long a repeat of a hook has at least, in ms, because the service may be back. */
const REPEAT_MS = 1_000;

/** A hook that begins so soon after another one is a repeat of it, in ms. */
const PAUSE_MS = 9_000;

/** When the time of a hook and of its repeats is over, and when the last of them ended. */
interface Window {
	until: number;
	endedAt: number;
}

/** The windows of hooks that have not succeeded yet, by trigger. */
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

/**
 * How long a webhook stays after n8n has asked for its deletion, in ms. n8n asks for it again within a
 * second, and in a publishing that fails within eight.
 */
export const STAY_MS = 10_000;

interface Leaving {
	/** The hook that was asked to delete it: it knows the address and the credential of the old version. */
	context: IHookFunctions;
	stop: AbortController;
	/** Resolves when the webhook was deleted, could not be deleted, or was called back. */
	end: Promise<void>;
	isBeingDeleted: boolean;
}

/** The webhooks that are about to be deleted, by trigger. */
const leaving = new Map<string, Leaving>();

/**
 * Deletes the webhook of a trigger later.
 * @param remove never throws
 */
export function deleteLater(
	name: string,
	context: IHookFunctions,
	remove: (deadline: AbortSignal) => Promise<void>,
): void {
	// n8n may ask twice. Only one of them may be on its way, since only one can be called back: the later
	// one, unless the service is deleting the webhook already.
	const former = leaving.get(name);
	if (former?.isBeingDeleted) return;
	former?.stop.abort();
	const stop = new AbortController();
	const entry: Leaving = { context, stop, end: Promise.resolve(), isBeingDeleted: false };
	const stayAndLeave = async () => {
		await systemClock.sleep(STAY_MS, stop.signal);
		if (stop.signal.aborted) return;
		entry.isBeingDeleted = true;
		await remove(AbortSignal.timeout(HOOK_MS));
		if (leaving.get(name) === entry) leaving.delete(name);
	};
	leaving.set(name, entry);
	entry.end = stayAndLeave();
}

/**
 * Keeps the webhook of a trigger from being deleted.
 * @returns the hook that was asked to delete it; `undefined` if none was, or if it is too late
 */
export async function callBack(name: string): Promise<IHookFunctions | undefined> {
	const entry = leaving.get(name);
	if (!entry) return undefined;
	if (entry.isBeingDeleted) {
		await entry.end;
		return undefined;
	}
	entry.stop.abort();
	leaving.delete(name);
	return entry.context;
}
