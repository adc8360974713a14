/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Access } from '../n8n/credential';
import { LabError } from '../process/failure';
import type { SandboxAdmin } from '../sandbox/admin';

/** How long a picture, or a delivery that fails, may take. */
const longestMs = 60_000;

type Answer = Record<string, unknown> & { id: string };

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
	for (const deadline = Date.now() + longestMs; !(await test()); await sleep(250))
		if (Date.now() > deadline) throw new LabError(`${what} took longer than a minute`);
}

/** Makes a picture, as another program does that uses the same workspace, and waits until it has ended. */
export async function makePicture(access: Access): Promise<void> {
	const body = {
		mode: 'image',
		model: 'studio/image-1',
		prompt: 'A letter that somebody else sent',
	};
	const { id } = await call(access, 'POST', '/generations', body);
	await untilHolds('The picture', async () => {
		const { status } = await call(access, 'GET', `/generations/${id}`);
		return status !== 'queued';
	});
}

/**
 * A picture whose event the sandbox could not deliver and has given up, because nobody was there.
 *
 * @returns takes the webhook away again, which would fail with every further event
 */
export async function missEvent(access: Access, admin: SandboxAdmin): Promise<() => Promise<void>> {
	const { deliverySchedule } = await admin.settings();
	await admin.settings({ deliverySchedule: [0] });
	const { id } = await call(access, 'POST', '/webhooks', {
		url: 'https://localhost:1/nobody-is-here',
		events: ['generation.completed'],
		description: 'Of example 12: nobody is there',
	});
	const takeAway = async () => {
		await call(access, 'DELETE', `/webhooks/${id}`);
	};
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
		await admin.settings({ deliverySchedule });
	}
	return takeAway;
}
