import type { Access } from '../n8n/credential';
import { LabError } from '../process/failure';
import { until } from '../process/process';
import type { Service } from './service';

type Answer = Record<string, unknown> & { id: string };

/**
 * Calls of the service as by another program that uses the same workspace.
 *
 * @throws LabError when it refuses
 */
export const callerOf =
	({ baseUrl, apiKey }: Access) =>
	async <T = Answer>(method: string, path: string, body?: object): Promise<T> => {
		const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
		const sent = { method, headers, body: JSON.stringify(body) };
		const answer = await fetch(`${baseUrl}${path}`, sent);
		if (answer.ok) return (await answer.json().catch(() => ({}))) as T;
		const said = `${answer.status} to ${method} ${path}: ${await answer.text()}`;
		throw new LabError(`The service answered ${said}`);
	};

/** Makes a picture and waits until it has ended. */
export async function makePicture(access: Access): Promise<void> {
	const call = callerOf(access);
	const prompt = 'A letter that somebody else sent';
	const { data } = await call<{ data: Answer[] }>('GET', '/models?mode=image');
	const job = { mode: 'image', model: data[0]?.id, prompt };
	const { id } = await call('POST', '/generations', job);
	await until(async () => (await call('GET', `/generations/${id}`)).status !== 'queued');
}

/**
 * A picture whose event the sandbox could not deliver and has given up, because nobody was there.
 *
 * @returns takes the webhook away again, which would fail with every further event
 */
export async function missEvent({ access, admin }: Pick<Service, 'access' | 'admin'>) {
	const call = callerOf(access);
	const schedule = (await admin?.settings())?.deliverySchedule;
	await admin?.settings({ deliverySchedule: [0] });
	const { id } = await call('POST', '/webhooks', {
		url: 'https://localhost:1/nobody-is-here',
		events: ['generation.completed'],
		description: 'Of example 12: nobody is there',
	});
	await makePicture(access);
	await until(async () => {
		const { data } = await call('GET', `/webhooks/${id}/deliveries`);
		return (data as Array<{ status: string }>).some(({ status }) => status === 'failed');
	});
	await admin?.settings({ deliverySchedule: schedule });
	return async () => void (await call('DELETE', `/webhooks/${id}`));
}
