import type { INode, INodeParameters } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { nodeAt } from '../../lab/n8n/canvas';
import { saveCredential } from '../../lab/n8n/credential';
import { startInstance } from '../../lab/n8n/instance';
import { credentialOf, type Rest } from '../../lab/n8n/rest';
import { sign } from '../../src/events/signature';
import { inLanes } from '../simulation/clients/client';
import { mean, type Figure } from '../table';

/** Events of a round, rounds of each node, and how many events are under way at a time. */
const EVENTS = 200;
const ROUNDS = 4;
const IN_FLIGHT = 8;

const SECRET = 'whsec_bench';

/** The least part of the Webhook node's deliveries that the trigger has to take. */
const LEAST = 0.55;

/** Publishes a workflow of this node and nothing after it. */
async function publish(
	rest: Rest,
	path: string,
	node: Pick<INode, 'type' | 'parameters' | 'credentials'>,
): Promise<void> {
	const saved = await rest.workflows.create({
		name: path,
		nodes: [{ ...nodeAt(path, 0), typeVersion: 2, webhookId: path, ...node }],
		connections: {},
		// What is not kept need not be written while events are counted.
		settings: { saveDataSuccessExecution: 'none' },
	});
	await rest.workflows.publish(saved);
}

/** Our trigger, registered by hand. */
async function publishTrigger(rest: Rest): Promise<void> {
	const access = { apiKey: 'bench', baseUrl: 'http://127.0.0.1:9/v1' };
	const api = await saveCredential(rest, 'Bench', access);
	const type = 'mediaGenWebhookSecretApi';
	const secret = await rest.credentials.create(type, 'Bench', { signingSecret: SECRET });
	await publish(rest, 'bench-trigger', {
		type: 'n8n-nodes-mediagen.mediaGenTrigger',
		parameters: { events: ['generation.completed'], registration: 'manual' },
		credentials: { ...credentialOf(api), ...credentialOf(secret) },
	});
}

async function publishWebhook(rest: Rest, path: string, options: INodeParameters): Promise<void> {
	const parameters = { httpMethod: 'POST', path, options };
	await publish(rest, path, { type: 'n8n-nodes-base.webhook', parameters });
}

/** Delivers an event. @throws Error where it is refused */
async function deliver(url: string): Promise<void> {
	const id = randomUUID();
	const resource = { id: `gen_${id}`, object: 'generation', status: 'completed', mode: 'image' };
	const body = JSON.stringify({ id, type: 'generation.completed', data: { object: resource } });
	const at = String(Math.floor(Date.now() / 1_000));
	const headers = {
		'content-type': 'application/json',
		'webhook-timestamp': at,
		'webhook-signature': sign(SECRET, at, body),
	};
	const answer = await fetch(url, { method: 'POST', headers, body });
	await answer.arrayBuffer();
	if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
}

/** @returns events a second, each answered after n8n has made its execution */
async function round(url: string, events: number): Promise<number> {
	const started = performance.now();
	await inLanes(events, IN_FLIGHT, async () => await deliver(url));
	return events / ((performance.now() - started) / 1_000);
}

/**
 * Events a second that start a workflow: the MediaGen Trigger, which verifies and de-duplicates
 * each, against n8n's own Webhook node, which takes anything. All in one n8n, in turns, so that
 * whatever else the machine does hits all.
 *
 * n8n 2.41 sets up an isolate for expressions at every delivery to every node but one: its own
 * Webhook node as long as no parameter of it is an expression. What that costs is n8n's and not the
 * nodes', so a Webhook node with an expression is measured too.
 */
export async function events(): Promise<Figure[]> {
	const { n8n, rest } = await startInstance();
	try {
		await publishTrigger(rest);
		await publishWebhook(rest, 'bench-webhook', {});
		await publishWebhook(rest, 'bench-expression', { responseData: '={{ "" }}' });
		const paths = ['bench-trigger/webhook', 'bench-webhook', 'bench-expression'];
		const measured = paths.map((path) => ({
			url: `${n8n.baseUrl}/webhook/${path}`,
			rates: [] as number[],
		}));
		for (const { url } of measured) await round(url, 50);
		for (let turn = 0; turn < ROUNDS; turn += 1) {
			// Every second round in reverse order, so that none is always first.
			const inTurn = turn % 2 === 0 ? measured : [...measured].reverse();
			for (const { url, rates } of inTurn) rates.push(await round(url, EVENTS));
		}
		const [trigger = 0, webhook = 0, withExpression = 0] = measured.map(({ rates }) => mean(rates));
		const ratio = trigger / webhook;
		return [
			{
				name: 'events a second, trigger against Webhook node',
				value: ratio.toFixed(2),
				limit: `≥ ${LEAST}`,
				isMet: ratio >= LEAST,
				note: `${trigger.toFixed(0)} and ${webhook.toFixed(0)} a second in turns; the Webhook node with an expression: ${withExpression.toFixed(0)}`,
			},
		];
	} finally {
		await n8n.stop();
	}
}
