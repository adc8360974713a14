import { ENDPOINTS, EVENTS, type EndpointName } from '../src/api';
import { startHarness, type Answer, type Harness } from '../test/sandbox/support/harness';

/** Where the sandbox of the examples says that it is. */
const ORIGIN = 'https://media.example.com';

/** What differs each time that a sandbox runs, and what the examples say instead. */
const DIFFERING: Record<string, unknown> = {
	request_id: 'req_0f8fad5b-d9cb-469f-a165-70867728950e',
	duration_ms: 12.5,
};

/**
 * What a sandbox of its own was sent, and what it has answered and told: the examples of docs/openapi.json.
 */
export class Examples {
	readonly requests: Partial<Record<EndpointName, object>> = {};
	/** By operation and status. */
	readonly answers: Partial<Record<EndpointName, Record<number, unknown>>> = {};
	/** Bodies of errors by their status and what they are about. */
	readonly errors: Record<number, Record<string, unknown>> = {};
	/** Bodies by the kind of the event. */
	readonly events: Record<string, unknown> = {};

	private constructor(private readonly service: Harness) {}

	/** Calls every operation, in an order in which each has something to show. The same every time. */
	static async record(): Promise<Examples> {
		const settings = { voices: 1, jobJitter: 0 };
		const service = await startHarness({ publicUrl: ORIGIN, settings });
		const examples = new Examples(service);
		try {
			await examples.recordWebhooks();
			await examples.recordCatalogue();
			await examples.listen();
			await examples.recordMedia();
			await examples.recordAgentRuns();
			await examples.recordVoices();
			await examples.recordPersonas();
			await examples.readEvents();
			await examples.call('getCredits');
			await examples.call('getUsage');
			await examples.recordDeliveries();
			await examples.recordErrors();
			return examples;
		} finally {
			await service.close();
		}
	}

	private async recordWebhooks(): Promise<void> {
		const events = ['generation.completed', 'generation.failed'];
		const url = 'https://example.com/hook';
		const { id } = await this.call('createWebhook', { url, description: 'For the site', events });
		await this.call('listWebhooks');
		await this.call('getWebhook', undefined, id);
		await this.call('updateWebhook', { url: 'https://example.com/events' }, id);
		await this.call('deleteWebhook', undefined, id);
	}

	private async recordCatalogue(): Promise<void> {
		await this.call('listModels', undefined, '', '?mode=audio');
		await this.call('listPresetVoices', undefined, '', '?language=en');
		const file = { filename: 'loaf.png', content_type: 'image/png', size: 48_213 };
		await this.call('createFile', file);
	}

	/** A webhook for every event, whose deliveries are not sent. */
	private async listen(): Promise<void> {
		await this.service.admin('PUT', '/faults', { rules: [{ kind: 'delivery_lose' }] });
		const all = { url: 'https://example.com/events', events: EVENTS };
		await this.service.send('POST', `${this.service.sandbox.baseUrl}/webhooks`, { body: all });
	}

	private async recordMedia(): Promise<void> {
		const model = 'studio/image-1';
		await this.call('createGeneration', { mode: 'image', model, prompt: '[fail]' });
		const prompt = 'A lighthouse at dusk, oil on canvas';
		const parameters = { count: 1, aspect_ratio: '16:9' };
		const image = { mode: 'image', model, prompt, parameters, delivery: 'signed_url' };
		const { id } = await this.call('createGeneration', image);
		const blocks = [
			{ text: 'Good evening, and welcome back.', voice: 'en-US-AvaLite' },
			{ text: 'Tonight we talk about bread.' },
		];
		const speech = await this.call('createSpeech', { model: 'service/speech-lite', blocks });
		await this.settle();
		await this.call('listGenerations', undefined, '', '?limit=1');
		await this.call('getGeneration', undefined, id);
		await this.call('getJob', undefined, id);
		await this.call('getSpeech', undefined, speech.id);
	}

	private async recordAgentRuns(): Promise<void> {
		const budget = { max_credits: 50 };
		const failing = { brief: '[fail]', auto_approve: true, ...budget };
		await this.call('createAgentRun', failing);
		await this.settle();
		const brief = { brief: 'A spot for a bakery', priority: 'balanced' };
		const { id, plan } = await this.call('createAgentRun', brief);
		await this.call('getAgentRun', undefined, id);
		const steps = plan.steps.slice(0, 2);
		await this.call('approveAgentRun', { ...budget, plan: { ...plan, steps } }, id);
		await this.settle();
		await this.call('reviewAgentRun', { decision: 'assemble' }, id);
		await this.call('listAgentRuns');
	}

	private async recordVoices(): Promise<void> {
		const clone = { name: 'Mine', audio_url: 'https://example.com/me.wav', preview_text: 'Hello!' };
		await this.call('createVoice', { kind: 'clone', ...clone });
		const description = 'Low and a little hoarse';
		const narrator = { kind: 'design', name: 'Calm narrator', description };
		const { id } = await this.call('createVoice', narrator);
		await this.call('listVoices');
		await this.call('getVoice', undefined, id);
		await this.call('renameVoice', { name: 'Old narrator' }, id);
		await this.call('deleteVoice', undefined, id);
	}

	private async recordPersonas(): Promise<void> {
		const describe = { source: 'describe', name: 'Owl' };
		await this.call('createPersona', { ...describe, description: '[fail]' });
		await this.call('createPersona', { ...describe, description: 'An owl with glasses' });
		await this.settle();
		const reference_images = ['https://example.com/mara.png'];
		const upload = { source: 'upload', name: 'Mara', reference_images };
		const { id } = await this.call('createPersona', upload);
		await this.call('listPersonas');
		await this.call('getPersona', undefined, id);
		await this.call('updatePersona', { name: 'Nia', shared: false }, id);
		await this.call('deletePersona', undefined, id);
	}

	private async readEvents(): Promise<void> {
		await this.settle();
		const { data } = (await this.service.admin('GET', '/deliveries')).body;
		for (const { event, body } of data) this.events[event] = JSON.parse(body);
	}

	/** An attempt that fails, as nobody listens at this port. */
	private async recordDeliveries(): Promise<void> {
		await this.service.admin('PUT', '/faults', { rules: [] });
		const { baseUrl } = this.service.sandbox;
		const own = { url: 'https://127.0.0.1:9/hook', events: ['voice.created'] };
		const { body } = await this.service.send('POST', `${baseUrl}/webhooks`, { body: own });
		const all = (await this.service.send('GET', `${baseUrl}/webhooks`, {})).body.data;
		for (const { id } of all.slice(1))
			await this.service.send('DELETE', `${baseUrl}/webhooks/${id}`, {});
		const voice = { kind: 'design', name: 'Bright', description: 'High and quick' };
		await this.service.send('POST', `${baseUrl}/voices`, { body: voice });
		await this.settle();
		await this.call('listDeliveries', undefined, body.id);
	}

	private async recordErrors(): Promise<void> {
		const { keys, admin } = this.service;
		const image = { mode: 'image', model: 'studio/image-1', prompt: 'A loaf' };
		const create = async (body: object, key?: string | null) =>
			await this.refused('POST', '/generations', { body, key });
		await create({ ...image, prompt: '' });
		await create(image, null);
		await create(image, keys.read);
		await create(image, keys.unentitled);
		await this.refused('GET', '/generations/gen_nothing', {});
		await admin('POST', '/credits', { workspace: 'studio', amount: -9_990 });
		await create({ ...image, parameters: { count: 16 } });
		await admin('POST', '/credits', { workspace: 'studio', amount: 9_990 });
		await admin('PATCH', '/settings', { concurrentJobs: 1, retryAfter: 'seconds' });
		await this.ask('POST', '/generations', { body: image });
		await create(image);
		await admin('PATCH', '/settings', { requestsPerMinute: 1 });
		await create(image);
	}

	/** What is asked is not held against the document, which may be out of date. */
	private async ask(
		method: string,
		path: string,
		options: { body?: object; key?: string | null },
	): Promise<Answer> {
		const answer = await this.service.send(method, this.service.sandbox.baseUrl + path, options);
		const text = JSON.stringify(answer.body, (name, value: unknown) => DIFFERING[name] ?? value);
		return { ...answer, body: JSON.parse(text) };
	}

	private async call(name: EndpointName, body?: object, id = '', query = '') {
		const { method, path } = ENDPOINTS[name];
		const answer = await this.ask(method, path.replace('{id}', id) + query, { body });
		if (answer.status >= 400) throw new Error(`${name}: ${JSON.stringify(answer.body)}`);
		if (body) this.requests[name] = body;
		this.answers[name] = { ...this.answers[name], [answer.status]: answer.body };
		return answer.body;
	}

	private async refused(...request: Parameters<Examples['ask']>): Promise<void> {
		const { status, body } = await this.ask(...request);
		const { type, details } = body.error;
		this.errors[status] = { ...this.errors[status], [details?.reason ?? type]: body };
	}

	/** Lets all that runs come to its end. */
	private async settle(): Promise<void> {
		const { sandbox, pass, until, admin } = this.service;
		const { ledger, dispatcher } = sandbox.service;
		pass(100);
		const look = async () => await admin('GET', '/settings');
		await until(look, () => ledger.balance('studio').reserved === 0);
		pass(0);
		await dispatcher.idle();
	}
}
