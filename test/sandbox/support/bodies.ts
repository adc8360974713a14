import { ENDPOINTS, type Endpoint, type EndpointName } from '../../../src/api';
import { anImage } from './harness';

export const LITE = 'service/speech-lite';
export const TURBO = 'vendor/partner/speech-2.8-turbo';

/** A body that each operation accepts which takes one. */
export const BODIES: Partial<Record<EndpointName, object>> = {
	createFile: { filename: 'a.png', content_type: 'image/png', size: 1 },
	createGeneration: anImage(),
	createSpeech: { model: LITE, blocks: [{ text: 'Hello' }] },
	createAgentRun: { brief: 'A film about a fox' },
	approveAgentRun: { max_credits: 50 },
	reviewAgentRun: { decision: 'assemble' },
	createVoice: { kind: 'design', name: 'Mine', description: 'a warm, low voice' },
	renameVoice: { name: 'Other' },
	createPersona: { source: 'describe', name: 'Owl', description: 'an owl with glasses' },
	updatePersona: { name: 'Vixen' },
	createWebhook: { url: 'https://127.0.0.1:9/hook', events: ['agent.failed'] },
	updateWebhook: { description: 'mine' },
};

/** All operations, each with its name: creations and lists first, deletions last. */
export const OPERATIONS = (Object.entries(ENDPOINTS) as Array<[EndpointName, Endpoint]>)
	.map(([name, endpoint]) => ({ name, ...endpoint, body: BODIES[name] }))
	.sort((one, other) => turnOf(one) - turnOf(other));

function turnOf({ method, path }: Endpoint): number {
	return method === 'DELETE' ? 2 : Number(path.includes('{id}'));
}

/** What an operation is about, such as `agents`: resources of one kind have one. */
export const kindOf = (path: string) => path.split('/')[1] ?? '';

/** A body with another value at a path such as `blocks[0].text`; with none where it is undefined. */
export function changed(body: object, path: string, value: unknown): object {
	const names = path.match(/\w+/g) ?? [];
	const copy = structuredClone(body) as Record<string, unknown>;
	names.reduce((at, name, index) => {
		const next = names[index + 1];
		if (next === undefined) at[name] = value;
		else at[name] ??= /\d/.test(next) ? [] : {};
		return at[name] as typeof at;
	}, copy);
	return copy;
}
