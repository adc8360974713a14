/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { slowDown, speedUp } from './support/slowDatabase';
import { signedHeaders } from './support/signed';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';

jest.setTimeout(600_000);

let instance: TriggerInstance;
let workflow: SavedWorkflow;
let path: string;
let secret: string;

beforeAll(async () => {
	instance = await TriggerInstance.start();
	workflow = await instance.ourTrigger({ events: ['generation.completed'] });
	await instance.rest.workflows.publish(workflow);
	const url = instance.urlOf(workflow);
	path = new URL(url).pathname;
	secret = instance.registered(url)[0]?.secret ?? '';
});

afterAll(async () => await instance?.stop());

/** A sender without a front between, so that n8n notices when it hangs up. */
function deliver(id: string): { status: Promise<number>; hangUp: () => void } {
	const body = JSON.stringify({
		id,
		type: 'generation.completed',
		data: { object: { id: `gen_${id}` } },
	});
	const outgoing = request({
		host: '127.0.0.1',
		port: instance.direct.port,
		path,
		method: 'POST',
		headers: signedHeaders(secret, body),
		agent: false,
	});
	const status = new Promise<number>((resolve, reject) => {
		outgoing.on('response', (response) => {
			response.resume();
			resolve(response.statusCode ?? 0);
		});
		outgoing.on('error', reject);
	});
	outgoing.end(body);
	return { status, hangUp: () => void outgoing.destroy() };
}

const count = (id: string) => instance.of(workflow).filter(({ eventId }) => eventId === id).length;

const failures = () => instance.log().split('Error in handling webhook request').length - 1;

/** A sender that gives up while n8n is still at making the execution. */
async function deliverAndGiveUp(id: string, { refuse }: { refuse: boolean }): Promise<void> {
	await slowDown(instance.direct.userFolder, { refuse });
	const { status, hangUp } = deliver(id);
	const given = expect(status).rejects.toThrow('hang up');
	await sleep(500);
	hangUp();
	await given;
}

const recover = async () => await speedUp(instance.direct.userFolder);

test('an event whose sender gave up before n8n failed to start it starts the workflow when it is repeated', async () => {
	const before = failures();
	await deliverAndGiveUp('evt_lost', { refuse: true });
	await until(() => failures() > before, 120_000);
	expect(failures()).toBe(before + 1);
	await recover();
	expect(count('evt_lost')).toBe(0);
	expect(await deliver('evt_lost').status).toBe(200);
	await until(() => count('evt_lost') > 0);
	expect(await deliver('evt_lost').status).toBe(200);
	await sleep(1_000);
	expect(count('evt_lost')).toBe(1);
});

test('an event that n8n has started after all is not started again for a sender that gave up', async () => {
	await deliverAndGiveUp('evt_slow', { refuse: false });
	await until(() => count('evt_slow') > 0, 120_000);
	await recover();
	expect(await deliver('evt_slow').status).toBe(200);
	await sleep(1_000);
	expect(count('evt_slow')).toBe(1);
});

test('a repeat that comes while n8n is still at the first delivery is refused at once, and starts later what n8n failed to start', async () => {
	await deliverAndGiveUp('evt_early', { refuse: true });
	const before = failures();
	// With a 2xx the service would never send it again.
	expect(await deliver('evt_early').status).toBe(503);
	await until(() => failures() > before, 120_000);
	await recover();
	expect(await deliver('evt_early').status).toBe(200);
	await until(() => count('evt_early') > 0);
	await sleep(1_000);
	expect(count('evt_early')).toBe(1);
});
