import type { SavedWorkflow } from '../../lab/n8n/rest';
import { credentialData } from '../../lab/n8n/credential';
import { signedHeaders } from './support/signed';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';

jest.setTimeout(240_000);

const parameters = { events: ['generation.completed'] };

let instance: TriggerInstance;

beforeAll(async () => {
	instance = await TriggerInstance.start({ N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' });
});

afterAll(async () => await instance?.stop());

afterEach(async () => {
	instance.faults([]);
	for (const { id } of await instance.webhooks())
		await instance.api('DELETE', `/webhooks/${String(id)}`);
});

const idAt = (workflow: SavedWorkflow) =>
	instance.registered(instance.urlOf(workflow))[0]?.id ?? '';

/** How long it takes, in seconds, and the message of the error if it fails. */
async function timed(task: Promise<unknown>): Promise<{ seconds: number; failure: string }> {
	const before = Date.now();
	const failure = await task.then(
		() => '',
		(error: Error) => error.message,
	);
	return { seconds: (Date.now() - before) / 1_000, failure };
}

/** Service seconds of ten minutes. */
const TEN_MINUTES = 36_000;

const WEBHOOKS = ['listWebhooks', 'createWebhook', 'getWebhook', 'deleteWebhook'];

it.each<[string, object, RegExp]>([
	['hangs', { kind: 'slow', seconds: TEN_MINUTES }, /The service did not respond/],
	['answers 500', { kind: 'status_before', status: 500 }, /The service answered with status 500/],
	[
		'refuses with 429 for two minutes',
		{ kind: 'storm', retryAfter: '120' },
		/Rate or concurrency limit exceeded/,
	],
])(
	'while the service %s, unpublishing and publishing end in time with our words',
	async (...row) => {
		const [, fault, words] = row;
		const workflow = await instance.ourTrigger(parameters);
		await instance.rest.workflows.publish(workflow);
		const id = idAt(workflow);
		instance.faults([{ operations: WEBHOOKS, ...fault }]);
		const unpublished = await timed(instance.rest.workflows.unpublish(workflow.id));
		expect(unpublished.seconds).toBeLessThan(20);
		const line = () =>
			instance
				.log()
				.split('\n')
				.find((one) => one.includes(`The webhook ${id} was left at the service`));
		await until(() => line() !== undefined);
		expect(line()).toMatch(words);
		const published = await timed(instance.rest.workflows.publish(workflow));
		expect(published.seconds).toBeLessThan(45);
		expect(published.failure).toContain(id);
		expect(published.failure).toMatch(words);
		const other = await instance.ourTrigger(parameters);
		const first = await timed(instance.rest.workflows.publish(other));
		expect(first.seconds).toBeLessThan(45);
		expect(first.failure).toMatch(/The webhook cannot be registered/);
		expect(first.failure).toMatch(words);

		instance.faults([]);
		for (const each of [workflow, other]) {
			await instance.rest.workflows.publish(each);
			expect(instance.registered(instance.urlOf(each))).toHaveLength(1);
			await instance.rest.workflows.unpublish(each.id);
			await until(() => instance.registered(instance.urlOf(each)).length === 0);
			expect(instance.registered(instance.urlOf(each))).toEqual([]);
		}
	},
);

it('the webhook of a key that has moved to another workspace is named in the log', async () => {
	const [own, , other] = instance.sandbox.keys;
	const dataOf = (apiKey = '') =>
		credentialData({ apiKey, baseUrl: instance.sandbox.baseUrl, clockScale: 1_000 });
	const credential = await instance.rest.credentials.create(
		'mediaGenApi',
		'Moved',
		dataOf(own?.key),
	);
	const workflow = await instance.ourTrigger(parameters, { mediaGenApi: credential });
	await instance.rest.workflows.publish(workflow);
	const id = idAt(workflow);
	await instance.rest.credentials.update(credential, dataOf(other?.key));
	await instance.rest.workflows.unpublish(workflow.id);
	const words = `The webhook ${id} was left at the service: the API key of the credential has changed`;
	await until(() => instance.log().includes(words));
	expect(instance.log()).toContain(words);
	await instance.rest.workflows.publish(workflow);
	expect(instance.registered(instance.urlOf(workflow))).toHaveLength(2);
	await instance.rest.workflows.unpublish(workflow.id);
	expect((await instance.webhooks()).map((webhook) => webhook.id)).toEqual([id]);
	await instance.api('DELETE', `/webhooks/${id}`);
	expect(instance.registered(instance.urlOf(workflow))).toEqual([]);
});

it('a signature counts in either case, and the log has one warning for each reason', async () => {
	const workflow = await instance.ourTrigger(parameters);
	await instance.rest.workflows.publish(workflow);
	const url = instance.urlOf(workflow);
	const secret = instance.registered(url)[0]?.secret ?? '';
	const deliver = async (id: string, by: string, change = (signature: string) => signature) => {
		const body = JSON.stringify({ id, type: 'generation.completed', data: { id: `gen_${id}` } });
		const headers = signedHeaders(by, body) as Record<string, string>;
		const name = 'webhook-signature';
		headers[name] = change(headers[name] ?? '');
		return (await instance.call(url, { headers }, body)).status;
	};
	const upper = (signature: string) => `v1=${signature.slice(3).toUpperCase()}`;
	expect(await deliver('upper', secret, upper)).toBe(200);
	expect(await instance.items(workflow, 1)).toMatchObject([{ eventId: 'upper' }]);
	for (let each = 0; each < 3; each += 1) expect(await deliver('forged', 'whsec_forged')).toBe(401);
	const warnings = () =>
		instance
			.log()
			.split('\n')
			.filter((line) => line.includes(workflow.name) && line.includes('refused a delivery'));
	await until(() => warnings().length > 0);
	expect(warnings()).toEqual([expect.stringMatching(/not made with the secret of this webhook/)]);
	await instance.rest.workflows.unpublish(workflow.id);
});

it('an event that has only the id of its resource gives it, and one without gives null', async () => {
	const options = { fetchResource: true };
	const workflow = await instance.ourTrigger({ ...parameters, options });
	const made = await instance.api('POST', '/generations', {
		mode: 'image',
		model: 'studio/image-1',
		prompt: 'A hill',
	});
	await instance.rest.workflows.publish(workflow);
	const url = instance.urlOf(workflow);
	const secret = instance.registered(url)[0]?.secret ?? '';
	const kind = { type: 'generation.completed' };
	for (const payload of [
		{ id: 'evt_id', ...kind, data: { generation_id: made.id } },
		{ id: 'evt_nothing', ...kind },
	]) {
		const body = JSON.stringify(payload);
		await instance.call(url, { headers: signedHeaders(secret, body) }, body);
	}
	await instance.items(workflow, 2);
	const of = (id: string) => instance.of(workflow).find(({ eventId }) => eventId === id);
	expect(of('evt_id')).toMatchObject({ resourceId: made.id, resource: { id: made.id } });
	expect(of('evt_nothing')).toMatchObject({ resourceId: null, resource: null });
	await instance.rest.workflows.unpublish(workflow.id);
});

it('a renamed trigger keeps its webhook or replaces it, and leaves none', async () => {
	const workflow = await instance.ourTrigger(parameters);
	await instance.rest.workflows.publish(workflow);
	const now = await instance.rest.workflows.get(workflow.id);
	const [trigger] = now.nodes;
	if (!trigger) throw new Error('The workflow has no trigger');
	now.connections = { Renamed: now.connections[trigger.name] ?? {} };
	trigger.name = 'Renamed';
	await instance.rest.workflows.update(workflow.id, now);
	await instance.rest.workflows.publish(await instance.rest.workflows.get(workflow.id));
	expect(await instance.webhooks()).toHaveLength(1);
	await instance.api('POST', '/generations', {
		mode: 'image',
		model: 'studio/image-1',
		prompt: 'A hill',
	});
	expect(await instance.items(workflow, 1)).toMatchObject([{ event: 'generation.completed' }]);
	await instance.rest.workflows.unpublish(workflow.id);
	expect(await instance.webhooks()).toEqual([]);
});

it('what n8n itself refuses is answered by n8n: 422 for malformed JSON, 400 for broken multipart', async () => {
	const workflow = await instance.ourTrigger(parameters);
	await instance.rest.workflows.publish(workflow);
	const statusOf = async (type: string, body: string) => {
		const headers = { ...signedHeaders('whsec_x', body), 'content-type': type };
		return (await instance.call(instance.urlOf(workflow), { headers }, body)).status;
	};
	expect(await statusOf('application/json', '{')).toBe(422);
	expect(await statusOf('multipart/form-data; boundary=x', 'broken')).toBe(400);
	expect(await statusOf('application/json', '{}')).toBe(401);
	await instance.rest.workflows.unpublish(workflow.id);
});
