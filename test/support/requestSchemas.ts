import type { z } from 'zod/v4';
import type { EndpointName } from '../../src/contract';
import { requestOf } from '../../sandbox/schemas';

/** What the service does not take in the body or query (as text) of an operation's request. */
export function refusals(name: EndpointName, given: { body?: unknown; query?: unknown }) {
	const { body, query } = requestOf(name);
	const parsed = [body?.safeParse(given.body), query?.safeParse(given.query)];
	const issues = parsed.flatMap((one) => one?.error?.issues ?? []);
	return issues.filter((issue) => !isFiction(name, issue));
}

/**
 * Limits that the sandbox had to choose and the specification does not state: the service decides,
 * not the nodes.
 */
function isFiction(name: EndpointName, { code, path }: z.core.$ZodIssue): boolean {
	const [field] = path;
	if (code === 'too_big' && ['url', 'audio_url', 'reference_images'].includes(String(field)))
		return true;
	if (code === 'too_big' && name.endsWith('Webhook')) return field === 'description';
	// What the list offers is taken, and `Persona.id` is any string.
	if (code === 'invalid_format' && field === 'persona_id') return true;
	return name === 'renameVoice' && field === 'name';
}
