/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { IDataObject, INode } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { callerOf } from '../../../lab/demo/otherProgram';
import { connectedTo } from '../../../lab/n8n/canvas';
import type { Rest, SavedCredential, SavedWorkflow } from '../../../lab/n8n/rest';
import type { TlsFront } from '../../../lab/n8n/tlsFront';
import type { Sandbox } from '../../../sandbox/server';
import type { CollectedItem, EventEnvironment } from './eventEnvironment';

export interface Reply {
	status: number;
	headers: IncomingHttpHeaders;
	body: string;
}

export const triggerName = 'Trigger';

/**
 * An n8n in a {@link EventEnvironment}: workflows with a trigger, the service's deliveries to them,
 * and what they were started with.
 */
export class EventInstance {
	readonly sandbox: Sandbox;

	readonly front: TlsFront;

	readonly got: CollectedItem[];

	/** Where workflows send what they want to have in `got`. */
	readonly collectorUrl: string;

	protected constructor(
		readonly world: EventEnvironment,
		public rest: Rest,
		readonly credential: SavedCredential,
	) {
		this.sandbox = world.sandbox;
		this.front = world.front;
		this.got = world.got;
		this.collectorUrl = world.collectorUrl;
	}

	/** A workflow that sends each item of a trigger to the collector. */
	async workflow(node: Partial<INode> & Pick<INode, 'type'>): Promise<SavedWorkflow> {
		const name = `W${Date.now()}${Math.random()}`;
		const { id, name: credentialName } = this.credential;
		const trigger: INode = {
			// At most 36 characters: PostgreSQL takes no more.
			id: randomUUID(),
			name: triggerName,
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
			webhookId: `hook-${name.replace('.', '')}`,
			credentials: { mediaGenApi: { id, name: credentialName } },
			...node,
		};
		const collect: INode = {
			id: randomUUID(),
			name: 'Collect',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			position: [200, 0],
			parameters: {
				method: 'POST',
				url: this.collectorUrl,
				sendBody: true,
				specifyBody: 'json',
				// No spread: in n8n 2.0 it makes an expression undefined.
				jsonBody: `={{ JSON.stringify({ workflow: $workflow.id, binary: Object.keys($binary ?? {}), json: $json }) }}`,
			},
		};
		return await this.rest.workflows.create({
			name,
			nodes: [trigger, collect],
			connections: { [triggerName]: connectedTo('Collect') },
		});
	}

	async ourTrigger(
		parameters: IDataObject,
		credentials?: Record<string, SavedCredential>,
	): Promise<SavedWorkflow> {
		const type = 'n8n-nodes-mediagen.mediaGenTrigger';
		const given = Object.entries(credentials ?? {}).map(([name, saved]) => [
			name,
			{ id: saved.id, name: saved.name },
		]);
		return await this.workflow({
			type,
			typeVersion: 2,
			parameters: parameters as INode['parameters'],
			...(credentials && { credentials: Object.fromEntries(given) as INode['credentials'] }),
		});
	}

	/** @param seconds of the minute at which it polls; default: every fifth */
	async pollingTrigger(
		parameters: IDataObject,
		seconds = Array.from({ length: 12 }, (_, each) => 5 * each),
	): Promise<SavedWorkflow> {
		const type = 'n8n-nodes-mediagen.mediaGenPollingTrigger';
		// n8n refuses a time that comes more than once a minute, but takes several of them.
		const pollTimes = {
			item: seconds.map((second) => ({
				mode: 'custom',
				cronExpression: `${second} * * * * *`,
			})),
		};
		const all = { pollTimes, ...parameters } as INode['parameters'];
		return await this.workflow({ type, parameters: all });
	}

	/** Saves a workflow with its trigger renamed. @returns it as it is saved, to be published */
	async renameTrigger({ id }: SavedWorkflow): Promise<SavedWorkflow> {
		const workflow = await this.rest.workflows.get(id);
		const [trigger, ...others] = workflow.nodes;
		if (!trigger) throw new Error('The workflow has no trigger');
		await this.rest.workflows.update(id, {
			...workflow,
			nodes: [{ ...trigger, name: 'Renamed' }, ...others],
			connections: { Renamed: workflow.connections[trigger.name] ?? {} },
		});
		return await this.rest.workflows.get(id);
	}

	/** Where the service delivers to. */
	urlOf({ nodes }: SavedWorkflow, kind: 'webhook' | 'webhook-test' = 'webhook'): string {
		return `${this.front.url}${kind}/${nodes[0]?.webhookId ?? ''}/webhook`;
	}

	/** Items that a workflow was started with so far. */
	of({ id }: SavedWorkflow): CollectedItem[] {
		return this.got.filter(({ workflow }) => workflow === id);
	}

	/**
	 * Waits until a workflow was started with this many items, and a moment longer for one too many.
	 */
	async items(
		workflow: SavedWorkflow,
		count: number,
		timeoutMs = 120_000,
	): Promise<CollectedItem[]> {
		const deadline = Date.now() + timeoutMs;
		while (this.of(workflow).length < count && Date.now() < deadline) await sleep(50);
		await sleep(300);
		return this.of(workflow);
	}

	/** A call of the service's API. */
	async api(method: string, path: string, body?: object): Promise<IDataObject> {
		return await callerOf(this.world.access)<IDataObject>(method, path, body);
	}

	async webhooks(): Promise<IDataObject[]> {
		return (await this.api('GET', '/webhooks')).data as IDataObject[];
	}

	/** The webhooks that the service has for a URL, their secrets included. */
	registered(url: string): Array<{ id: string; secret: string; events: string[] }> {
		const { workspaces } = this.sandbox.service.store;
		const all = [...workspaces.values()].flatMap(({ webhooks }) => webhooks.all());
		return all.filter((one) => one.url === url);
	}

	/** Replaces the faults that the service has. */
	faults(rules: object[]): void {
		this.sandbox.service.faults.replace({ rules });
	}

	/** A call through the TLS front, as the service or anybody may make it. */
	async call(
		url: string,
		options: RequestOptions = {},
		body: Buffer | string = '',
	): Promise<Reply> {
		return await new Promise((resolve, reject) => {
			const outgoing = request(url, {
				method: 'POST',
				ca: this.front.ca,
				agent: false,
				...options,
			});
			outgoing.on('response', (response) => {
				const chunks: Buffer[] = [];
				response.on('data', (chunk: Buffer) => chunks.push(chunk));
				response.on('end', () =>
					resolve({
						status: response.statusCode ?? 0,
						headers: response.headers,
						body: Buffer.concat(chunks).toString(),
					}),
				);
			});
			outgoing.on('error', reject);
			outgoing.end(body);
		});
	}
}
