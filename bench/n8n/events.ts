/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { INode, INodeParameters, IWorkflowSettings } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { saveCredential } from '../../lab/n8n/credential';
import type { Rest, SavedWorkflow } from '../../lab/n8n/rest';
import { startInstance, type Instance } from '../../lab/n8n/instance';
import { sign } from '../../src/events/signature';
import { mean, type Figure } from '../table';

/**
 * Events a second that start a workflow: the MediaGen Trigger, which verifies and de-duplicates
 * each, against n8n's own Webhook node, which takes anything. All in one n8n, in turns, so that
 * whatever else the machine does hits all.
 *
 * n8n 2.41 sets up an isolate for expressions at every delivery to every node but one: its own
 * Webhook node as long as no parameter of it is an expression. What that costs is n8n's and not the
 * nodes', so the trigger is compared where both pay it (`default`, with a Webhook node that has an
 * expression) and where neither does (`lazy`, N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE).
 */
type Setting = 'default' | 'lazy';

/** Events of a round, and rounds of each node. */
const EVENTS = 200;
const ROUNDS = 4;

const SECRET = 'whsec_bench';
const IN_FLIGHT = 8;

const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });

/**
 * Delivers an event to a trigger of {@link publishTrigger}, or to any other webhook. @returns the
 * status
 */
async function post(url: string): Promise<number> {
	const id = randomUUID();
	const resource = { id: `gen_${id}`, object: 'generation', status: 'completed', mode: 'image' };
	const body = JSON.stringify({ id, type: 'generation.completed', data: { object: resource } });
	const at = String(Math.floor(Date.now() / 1_000));
	const headers = {
		'content-type': 'application/json',
		'content-length': String(Buffer.byteLength(body)),
		'webhook-timestamp': at,
		'webhook-signature': sign(SECRET, at, body),
	};
	return await new Promise((resolve, reject) => {
		const outgoing = request(url, { method: 'POST', agent, headers }, (answer) => {
			answer.resume();
			answer.on('end', () => resolve(answer.statusCode ?? 0));
		});
		outgoing.on('error', reject);
		outgoing.end(body);
	});
}

/** @returns events a second, each answered after n8n has made its execution */
async function round(url: string, events: number): Promise<number> {
	let left = events;
	const started = performance.now();
	const worker = async () => {
		while (left > 0) {
			left -= 1;
			const status = await post(url);
			if (status !== 200) throw new Error(`${url} answered ${status}`);
		}
	};
	await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
	return events / ((performance.now() - started) / 1_000);
}

async function publish(
	rest: Rest,
	node: INode,
	settings: IWorkflowSettings = {},
): Promise<SavedWorkflow> {
	const saved = await rest.workflows.create({
		name: node.name,
		nodes: [node],
		connections: {},
		settings,
	});
	await rest.workflows.publish(saved);
	return saved;
}

const shared = { typeVersion: 2, position: [0, 0] as [number, number] };

type Measured = 'trigger' | 'webhook' | 'webhookWithExpression';

/** Options of the Webhook nodes, by path. */
const WEBHOOKS: Record<string, INodeParameters> = {
	'bench-webhook': {},
	'bench-expression': { responseData: '={{ "" }}' },
};

/** Publishes a workflow of our trigger, registered by hand, and nothing after it. */
async function publishTrigger(
	rest: Rest,
	settings: IWorkflowSettings = {},
): Promise<{ workflow: SavedWorkflow; path: string }> {
	const access = { apiKey: 'bench', baseUrl: 'http://127.0.0.1:9/v1' };
	const api = await saveCredential(rest, 'Bench', access);
	const type = 'mediaGenWebhookSecretApi';
	const secret = await rest.credentials.create(type, 'Bench', { signingSecret: SECRET });
	const node = {
		...shared,
		id: 'a',
		name: 'MediaGen Trigger',
		webhookId: 'bench-trigger',
		type: 'n8n-nodes-mediagen.mediaGenTrigger',
		parameters: { events: ['generation.completed'], registration: 'manual' },
		credentials: {
			mediaGenApi: { id: api.id, name: api.name },
			mediaGenWebhookSecretApi: { id: secret.id, name: secret.name },
		},
	};
	const workflow = await publish(rest, node, settings);
	return { workflow, path: '/webhook/bench-trigger/webhook' };
}

/** What is not kept need not be written while events are counted. */
const UNKEPT: IWorkflowSettings = { saveDataSuccessExecution: 'none' };

/** Publishes one workflow for each node. @returns their addresses */
async function workflows({ rest, n8n }: Instance): Promise<Record<Measured, string>> {
	const { path: triggerPath } = await publishTrigger(rest, UNKEPT);
	for (const [path, options] of Object.entries(WEBHOOKS)) {
		const node = {
			...shared,
			id: path,
			name: path,
			webhookId: path,
			type: 'n8n-nodes-base.webhook',
			parameters: { httpMethod: 'POST', path, options },
		};
		await publish(rest, node, UNKEPT);
	}
	return {
		trigger: `${n8n.baseUrl}${triggerPath}`,
		webhook: `${n8n.baseUrl}/webhook/bench-webhook`,
		webhookWithExpression: `${n8n.baseUrl}/webhook/bench-expression`,
	};
}

/** Starts an n8n, measures the nodes in turns, and ends it. */
async function measure(setting: Setting): Promise<Figure> {
	const isLazy = setting === 'lazy';
	const env: Record<string, string> = isLazy ? { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' } : {};
	const instance = await startInstance({ env });
	try {
		const urls = Object.entries(await workflows(instance)) as Array<[Measured, string]>;
		const rates: Record<Measured, number[]> = {
			trigger: [],
			webhook: [],
			webhookWithExpression: [],
		};
		for (const [, url] of urls) await round(url, 50);
		for (let turn = 0; turn < ROUNDS; turn += 1) {
			for (const [name, url] of urls) rates[name].push(await round(url, EVENTS));
			// The next round in reverse order, so that neither is always first.
			urls.reverse();
		}
		const [trigger, webhook, withExpression] = Object.values(rates).map(mean) as [
			number,
			number,
			number,
		];
		const ratio = trigger / webhook;
		return {
			name: `events a second, trigger against Webhook node, ${isLazy ? 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true' : "n8n's defaults"}`,
			value: ratio.toFixed(2),
			limit: isLazy ? '–' : '≥ 0.55',
			isMet: isLazy || ratio >= 0.55,
			note: `${trigger.toFixed(0)} and ${webhook.toFixed(0)} a second in turns; the Webhook node with an expression: ${withExpression.toFixed(0)}`,
		};
	} finally {
		await instance.n8n.stop();
	}
}

/** In both settings. */
export async function events(): Promise<Figure[]> {
	const figures = [await measure('default'), await measure('lazy')];
	agent.destroy();
	return figures;
}
