/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import type createClientType from 'openapi-fetch';
import type { EndpointName } from '../../../src/contract';
import type { paths } from './generated';

// Installed by the judges themselves, so that ESLint finds it in some checkouts and in others not.
const { default: createClient } = createRequire(__filename)('openapi-fetch') as {
	default: typeof createClientType;
};

const url = (name: string) => `https://example.com/${name}`;

/** What a request gave: its data, or an error where it was refused. */
interface Answered<Data> {
	data?: Data;
	error?: unknown;
	response: Response;
}

/**
 * Calls each operation as somebody would who has nothing but the OpenAPI document. Answers the
 * statuses.
 *
 * @throws when a request is refused
 */
async function everyOperation(
	baseUrl: string,
	key: string,
): Promise<Partial<Record<EndpointName, number>>> {
	const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
	const statuses: Partial<Record<EndpointName, number>> = {};
	const call = async <Data>(name: EndpointName, request: Promise<Answered<Data>>) => {
		const { data, error, response } = await request;
		if (error !== undefined) throw new Error(`${name}: ${JSON.stringify(error)}`);
		statuses[name] = response.status;
		return data as Data;
	};
	const at = (id: string) => ({ params: { path: { id } } });

	const { data: models } = await call(
		'listModels',
		client.GET('/models', { params: { query: { mode: 'image' } } }),
	);
	const model = models[0]?.id ?? '';
	const file = await call(
		'createFile',
		client.POST('/files', {
			body: { filename: 'cat.png', content_type: 'image/png', size: 3 },
		}),
	);

	const generation = await call(
		'createGeneration',
		client.POST('/generations', {
			params: { header: { 'Idempotency-Key': 'one' } },
			body: { mode: 'image', model, prompt: 'A boat', parameters: { count: 2 } },
		}),
	);
	await call('listGenerations', client.GET('/generations', { params: { query: { limit: 5 } } }));
	await call('getGeneration', client.GET('/generations/{id}', at(generation.id)));
	const speech = await call(
		'createSpeech',
		client.POST('/speech', {
			body: { model: 'service/speech-lite', blocks: [{ text: 'Hello' }], settings: { speed: 1.5 } },
		}),
	);
	await call('getSpeech', client.GET('/speech/{id}', at(speech.id)));
	const job = await call('getJob', client.GET('/jobs/{id}', at(speech.id)));
	if (job.object !== 'speech_generation') throw new Error(`The job is a ${job.object}`);

	const run = await call(
		'createAgentRun',
		client.POST('/agents/runs', { body: { brief: 'A spot', source_images: [url('a.png')] } }),
	);
	await call('listAgentRuns', client.GET('/agents/runs'));
	await call(
		'approveAgentRun',
		client.POST('/agents/runs/{id}/approve', {
			...at(run.id),
			body: { max_credits: 500, plan: run.plan },
		}),
	);
	let status: string;
	do {
		await setTimeout(50);
		({ status } = await call('getAgentRun', client.GET('/agents/runs/{id}', at(run.id))));
	} while (status !== 'awaiting_review' && status !== 'failed');
	await call(
		'reviewAgentRun',
		client.POST('/agents/runs/{id}/review', { ...at(run.id), body: { decision: 'assemble' } }),
	);

	const voice = await call(
		'createVoice',
		client.POST('/voices', { body: { kind: 'clone', name: 'Mine', audio_url: url('voice.mp3') } }),
	);
	await call('listVoices', client.GET('/voices'));
	await call(
		'listPresetVoices',
		client.GET('/voices/catalog', { params: { query: { language: 'en' } } }),
	);
	await call('getVoice', client.GET('/voices/{id}', at(voice.id)));
	await call(
		'renameVoice',
		client.PATCH('/voices/{id}', { ...at(voice.id), body: { name: 'Yours' } }),
	);
	await call('deleteVoice', client.DELETE('/voices/{id}', at(voice.id)));

	const persona = await call(
		'createPersona',
		client.POST('/personas', {
			body: { source: 'upload', name: 'Mara', reference_images: ['b', 'c', 'd'].map(url) },
		}),
	);
	await call('listPersonas', client.GET('/personas'));
	await call('getPersona', client.GET('/personas/{id}', at(persona.id)));
	await call(
		'updatePersona',
		client.PATCH('/personas/{id}', { ...at(persona.id), body: { name: 'Nia', shared: false } }),
	);
	await call('deletePersona', client.DELETE('/personas/{id}', at(persona.id)));

	await call('getCredits', client.GET('/credits'));
	await call(
		'getUsage',
		client.GET('/usage', { params: { query: { since: '2026-01-31T12:00:00Z' } } }),
	);

	const webhook = await call(
		'createWebhook',
		client.POST('/webhooks', { body: { url: url('hook'), events: ['voice.created'] } }),
	);
	await call('listWebhooks', client.GET('/webhooks'));
	await call('getWebhook', client.GET('/webhooks/{id}', at(webhook.id)));
	await call(
		'updateWebhook',
		client.PATCH('/webhooks/{id}', { ...at(webhook.id), body: { description: file.url } }),
	);
	await call('listDeliveries', client.GET('/webhooks/{id}/deliveries', at(webhook.id)));
	await call('deleteWebhook', client.DELETE('/webhooks/{id}', at(webhook.id)));
	return statuses;
}

const [, , baseUrl = '', key = ''] = process.argv;
void everyOperation(baseUrl, key).then((statuses) => console.log(JSON.stringify(statuses)));
