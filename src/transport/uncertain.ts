import { ENDPOINTS, LIMITS } from '../contract';
import { readPages } from './pages';
import { fail, type Failed } from './result';
import type { Run } from './run';
import { isRecord, isResource } from './types';

const CACHED_MS = LIMITS.idempotencyHours * 3_600_000;

/** How far back the list is searched, in entries. */
const SEARCHED = 1_000;

/** Whether the service may have forgotten the key under which an unclear try was sent. */
export const isForgotten = (at: number | undefined, now: number): boolean =>
	at !== undefined && now - at >= CACHED_MS;

/**
 * Looks whether a try of unclear outcome has been carried out, once its key can no longer tell: any generation of the same mode
 * and model that this node does not know may be it. Then nothing is created, because that might be paid for twice.
 * @returns why nothing may be created, or `undefined` when the try has left nothing
 */
export async function lookBeforeCreating(run: Run): Promise<Failed | undefined> {
	const { workspace, host, request, known, plan } = run;
	if (plan.object !== 'generation') return fail({ kind: 'uncertain', candidates: [] });
	const list = { method: 'GET', path: ENDPOINTS.listGenerations.path } as const;
	const query = { wanted: SEARCHED, takesLimit: true };
	const entries = await readPages(workspace.client, host.line, list, query);
	if (!entries.ok) return entries;
	const body = isRecord(request.body) ? request.body : {};
	const candidates = entries.value
		.filter(isResource)
		.filter(({ mode, model }) => mode === body.mode && model === body.model)
		.map(({ id }) => id)
		.filter((id) => !known().has(id));
	return candidates.length > 0 ? fail({ kind: 'uncertain', candidates }) : undefined;
}
