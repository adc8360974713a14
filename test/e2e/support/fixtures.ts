/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { baseUrl, keys } from './harness';

/** Calls the service without n8n. */
export async function call<T = Record<string, unknown>>(
	method: string,
	path: string,
	body?: unknown,
): Promise<T> {
	const answer = await fetch(`${baseUrl}${path}`, {
		method,
		headers: {
			authorization: `Bearer ${keys.full.key}`,
			...(body !== undefined && { 'content-type': 'application/json' }),
		},
		body: body === undefined ? undefined : JSON.stringify(body),
	});
	const text = await answer.text();
	if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${text}`);
	return JSON.parse(text) as T;
}

const idOf = async (path: string, body: unknown): Promise<string> =>
	(await call<{ id: string }>('POST', path, body)).id;

const picture = 'https://example.com/picture.png';

/** Has the service make one of each resource and gives their ids. */
export const make = {
	generation: async () =>
		await idOf('/generations', { mode: 'image', model: 'studio/image-1', prompt: 'A boat' }),
	speech: async () =>
		await idOf('/speech', { model: 'service/speech-lite', blocks: [{ text: 'Hello' }] }),
	agentRun: async () => await idOf('/agents/runs', { brief: 'A spot for a bakery' }),
	voice: async () =>
		await idOf('/voices', { kind: 'design', name: 'Narrator', description: 'Calm and deep' }),
	persona: async () =>
		await idOf('/personas', { source: 'upload', name: 'Mara', reference_images: [picture] }),
	webhook: async () =>
		await idOf('/webhooks', { url: 'https://example.com/hook', events: ['voice.created'] }),
};

/** Polls until a resource has a status. @throws Error after ten seconds */
export async function until(path: string, status: string): Promise<void> {
	for (let tries = 0; tries < 100; tries += 1) {
		if ((await call(`GET`, path)).status === status) return;
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	throw new Error(`${path} has not become ${status}`);
}

/** A resource locator as it is stored when an id was entered. */
export const byId = (value: string) => ({ __rl: true, mode: 'id', value });
