import { createHash } from 'crypto';
import { BinaryReference, resolveReferences } from './binary/reference';
import { upload } from './binary/upload';
import type { BinarySource } from './host';
import { executionKey } from './idempotency';
import { fail, ok, type Result } from './result';
import type { Run } from './run';

function referencesIn(value: unknown): BinaryReference[] {
	if (value instanceof BinaryReference) return [value];
	if (typeof value !== 'object' || value === null) return [];
	return Object.values(value).flatMap(referencesIn);
}

async function contentHash(source: BinarySource): Promise<string> {
	const hash = createHash('sha256');
	const body = await source.open();
	if (Buffer.isBuffer(body)) return hash.update(body).digest('hex');
	for await (const chunk of body) hash.update(chunk as Uint8Array);
	return hash.digest('hex');
}

/**
 * The files that a request names, by their binary field. By content, a file is known by its bytes: where n8n keeps it differs
 * from execution to execution.
 */
export async function openSources(run: Run): Promise<Result<Map<string, BinarySource>>> {
	const { request, host, settings } = run;
	const sources = new Map<string, BinarySource>();
	for (const { field } of referencesIn(request.body)) {
		try {
			const source = sources.get(field) ?? (await host.binary(field));
			if (!source) continue;
			const byContent = settings.idempotency === 'content' && !sources.has(field);
			const identity = byContent ? await contentHash(source) : source.identity;
			sources.set(field, { ...source, identity });
		} catch {
			return fail({ kind: 'upload', field, problem: 'its file cannot be read' });
		}
	}
	return ok(sources);
}

/** A repeated upload gets the address of the first one: by content also that of another execution. */
function uploadKey({ settings, memory, place }: Run, identity: string): string {
	if (settings.idempotency === 'content') return executionKey(place.node, identity, 0);
	return executionKey(place.seed, `${place.item}:${identity}`, memory.attempt);
}

/**
 * The body of a request with the URLs of its files. Each file is sent once, and a repeated request names the same URLs: the
 * service would take it for another request otherwise.
 */
export async function uploadAll(
	run: Run,
	sources: Map<string, BinarySource>,
): Promise<Result<unknown>> {
	const { host, workspace, memory } = run;
	for (const [field, source] of sources) {
		if (memory.uploads[source.identity]) continue;
		const key = uploadKey(run, source.identity);
		const sent = await upload(host, workspace, { field, source, key });
		if (!sent.ok) return sent;
		memory.uploads[source.identity] = sent.value.url;
	}
	const body = await resolveReferences(run.request.body, async ({ field }) => {
		const identity = sources.get(field)?.identity ?? '';
		return memory.uploads[identity];
	});
	return ok(body);
}
