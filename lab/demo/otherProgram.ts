/* eslint-disable @n8n/community-nodes/require-node-api-error -- not published */
import type { Access } from '../n8n/credential';
import { LabError } from '../process/failure';
import { until } from '../process/process';
import type { Service } from './service';

type Answer = Record<string, unknown> & { id: string };

/** A call of the service as by another program that uses the same workspace. */
async function call(
	{ baseUrl, apiKey }: Access,
	method: string,
	path: string,
	body?: object,
): Promise<Answer> {
	const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
	const answer = await fetch(`${baseUrl}${path}`, { method, headers, body: JSON.stringify(body) });
	if (!answer.ok) throw new LabError(`The service answered ${answer.status} to ${method} ${path}`);
	return (await answer.json().catch(() => ({}))) as Answer;
}

async function untilHolds(what: string, test: () => Promise<boolean>): Promise<void> {
	if (!(await until(test, { everyMs: 250 })))
		throw new LabError(`${what} took longer than a minute`);
}

/** Makes a picture and waits until it has ended. */
export async function makePicture(access: Access): Promise<void> {
	const prompt = 'A letter that somebody else sent';
	const body = { mode: 'image', model: 'studio/image-1', prompt };
	const path = `/generations/${(await call(access, 'POST', '/generations', body)).id}`;
	const isEnded = async () => (await call(access, 'GET', path)).status !== 'queued';
	await untilHolds('The picture', isEnded);
}

/**
 * A picture whose event the sandbox could not deliver and has given up, because nobody was there.
 *
 * @returns takes the webhook away again, which would fail with every further event
 */
export async function missEvent({ access, admin }: Pick<Service, 'access' | 'admin'>) {
	const schedule = (await admin?.settings())?.deliverySchedule;
	await admin?.settings({ deliverySchedule: [0] });
	const { id } = await call(access, 'POST', '/webhooks', {
		url: 'https://localhost:1/nobody-is-here',
		events: ['generation.completed'],
		description: 'Of example 12: nobody is there',
	});
	const takeAway = async () => void (await call(access, 'DELETE', `/webhooks/${id}`));
	try {
		await makePicture(access);
		await untilHolds('The failed delivery', async () => {
			const { data } = await call(access, 'GET', `/webhooks/${id}/deliveries`);
			return (data as Array<{ status: string }>).some(({ status }) => status === 'failed');
		});
	} catch (error) {
		await takeAway();
		throw error;
	} finally {
		await admin?.settings({ deliverySchedule: schedule });
	}
	return takeAway;
}
