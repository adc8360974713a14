import { callerOf } from '../../../lab/demo/otherProgram';
import { until as untilThere } from '../../../lab/process/process';
import { baseUrl, keys } from './harness';

/** Calls the service without n8n. */
export const call = callerOf({ baseUrl, apiKey: keys.full.key });

const idOf = async (path: string, body: object): Promise<string> =>
	(await call('POST', path, body)).id;

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
	const isThere = async () => (await call('GET', path)).status === status;
	if (!(await untilThere(isThere, { timeoutMs: 10_000 })))
		throw new Error(`${path} has not become ${status}`);
}

/** A resource locator as it is stored when an id was entered. */
export const byId = (value: string) => ({ __rl: true, mode: 'id', value });
