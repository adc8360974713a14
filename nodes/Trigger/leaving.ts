import type { IHookFunctions } from 'n8n-workflow';
import { systemClock } from '../../src/base/clock';
import { HOOK_MS } from '../../src/trigger/hooks';

/*
 * When a changed workflow is published, n8n deletes the webhook of the old version and asks for that of the
 * new one moments later. A service that is told so drops the events that are on their way, and all repeats
 * of earlier ones. Nothing tells n8n's two reasons to delete apart, so a webhook stays for a while and is
 * deleted when nobody has asked for it again.
 */

/**
 * How long a webhook stays after n8n has asked for its deletion, in ms. n8n asks for it again within a
 * second, and in a publishing that fails within eight.
 */
export const STAY_MS = 10_000;

interface Leaving {
	/** The hook that was asked to delete it: it knows the address and the credential of the old version. */
	context: IHookFunctions;
	stop: AbortController;
	/** Resolves once it has been deleted or left, or was called back. */
	end: Promise<void>;
	isBeingDeleted: boolean;
}

/** By trigger. */
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
	const stop = new AbortController();
	const entry: Leaving = { context, stop, end: Promise.resolve(), isBeingDeleted: false };
	const stayAndLeave = async () => {
		await systemClock.sleep(STAY_MS, stop.signal);
		if (stop.signal.aborted) return;
		entry.isBeingDeleted = true;
		await remove(AbortSignal.timeout(HOOK_MS));
		leaving.delete(name);
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
