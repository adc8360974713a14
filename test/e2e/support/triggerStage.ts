/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { IDataObject, INode } from 'n8n-workflow';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { saveCredential } from '../../../lab/n8n/credential';
import { startN8n, temporaryUserFolder, type N8n } from '../../../lab/n8n/start';
import { freePort, isFree } from '../../../lab/process/ports';
import { Rest, type SavedCredential, type SavedWorkflow } from '../../../lab/n8n/rest';
import { demoOwner, setStage } from '../../../lab/n8n/stage';
import { selfSigned, startTlsFront, type TlsFront } from '../../../lab/n8n/tlsFront';
import { createSandbox, type Sandbox } from '../../../src/sandbox/server';
import { quickRender } from '../../sandbox/support/harness';
import { until } from './until';

/** What an item of a started workflow held. */
export type Got = IDataObject & { workflow: string };

export interface Reply {
	status: number;
	headers: IncomingHttpHeaders;
	body: string;
}

export const triggerName = 'Trigger';

/** An n8n of its own behind a TLS front, a sandbox that trusts it, and a collector of what workflows are started with. */
export class TriggerStage {
	private constructor(
		readonly sandbox: Sandbox,
		readonly front: TlsFront,
		private n8n: N8n,
		public rest: Rest,
		readonly credential: SavedCredential,
		private readonly env: Record<string, string>,
		readonly got: Got[],
		private readonly collectorUrl: string,
		private readonly closeCollector: () => void,
	) {}

	/** @param more variables that n8n gets besides */
	static async start(more: Record<string, string> = {}): Promise<TriggerStage> {
		const pair = await selfSigned();
		const port = await freePort();
		const front = await startTlsFront(port, pair);
		const settings = {
			clockScale: 60,
			requestsPerMinute: 1_000_000,
			concurrentJobs: 10_000,
			// Sixty times faster than life a receiver would have a sixth of a second, and a restart of n8n would outlast the attempts.
			deliveryTimeout: 600,
			deliverySchedule: [0, 5, 30, 60, ...Array<number>(12).fill(240)],
		};
		const sandbox = await createSandbox({
			seed: 1,
			settings,
			deliveryCa: pair.cert,
			render: quickRender,
		});
		const got: Got[] = [];
		const collector = createServer((incoming, outgoing) => {
			const chunks: Buffer[] = [];
			incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
			incoming.on('end', () => {
				got.push(JSON.parse(Buffer.concat(chunks).toString()) as Got);
				outgoing.end('{}');
			});
		});
		await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
		const env = { WEBHOOK_URL: front.url, N8N_PROXY_HOPS: '1', ...more };
		const { n8n, rest } = await setStage({ userFolder: temporaryUserFolder(), port, env });
		const access = {
			apiKey: sandbox.keys[0]?.key ?? '',
			baseUrl: sandbox.baseUrl,
			clockScale: 1_000,
		};
		const credential = await saveCredential(rest, 'Trigger', access);
		const at = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`;
		return new TriggerStage(sandbox, front, n8n, rest, credential, env, got, at, () => {
			collector.closeAllConnections();
			collector.close();
		});
	}

	async stop(): Promise<void> {
		await this.n8n.stop();
		await Promise.all([this.front.stop(), this.sandbox.close()]);
		this.closeCollector();
		rmSync(this.n8n.userFolder, { recursive: true, force: true, maxRetries: 3 });
	}

	/** Where n8n listens, behind the TLS front; its log; its folder with the database. */
	get direct(): { port: number; logFile: string; userFolder: string } {
		return this.n8n;
	}

	/** What n8n has logged since it was started. */
	log(): string {
		return readFileSync(this.n8n.logFile, 'utf8');
	}

	/** Ends n8n as a crash would; the user folder stays. */
	async crash(): Promise<void> {
		const { port } = this.n8n;
		await this.n8n.kill();
		// The guard is gone; n8n itself, killed with it, may be a moment behind.
		await until(async () => await isFree(port));
	}

	/** Ends n8n; the user folder stays. */
	async down(): Promise<void> {
		await this.n8n.stop();
	}

	async up(env: Record<string, string> = {}): Promise<void> {
		const { userFolder, port } = this.n8n;
		this.n8n = await startN8n({ userFolder, port, env: { ...this.env, ...env } });
		this.rest = await Rest.signIn(this.n8n.baseUrl, demoOwner);
	}

	/** A workflow that sends each item of a trigger to the collector. */
	async workflow(node: Partial<INode> & Pick<INode, 'type'>): Promise<SavedWorkflow> {
		const name = `W${Date.now()}${Math.random()}`;
		const { id, name: credentialName } = this.credential;
		const trigger: INode = {
			id: `node-${name}`,
			name: triggerName,
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
			webhookId: `hook-${name.replace('.', '')}`,
			credentials: { mediaGenApi: { id, name: credentialName } },
			...node,
		};
		const collect: INode = {
			id: `collect-${name}`,
			name: 'Collect',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			position: [200, 0],
			parameters: {
				method: 'POST',
				url: this.collectorUrl,
				sendBody: true,
				specifyBody: 'json',
				jsonBody: `={{ JSON.stringify({ workflow: $workflow.id, binary: Object.keys($binary ?? {}), ...$json }) }}`,
			},
		};
		return await this.rest.workflows.create({
			name,
			nodes: [trigger, collect],
			connections: { [triggerName]: { main: [[{ node: 'Collect', type: 'main', index: 0 }]] } },
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

	async pollingTrigger(parameters: IDataObject): Promise<SavedWorkflow> {
		const type = 'n8n-nodes-mediagen.mediaGenPollingTrigger';
		const pollTimes = { item: [{ mode: 'everyMinute' }] };
		const all = { pollTimes, ...parameters } as INode['parameters'];
		return await this.workflow({ type, parameters: all });
	}

	/** Where the service delivers to. */
	urlOf({ nodes }: SavedWorkflow, kind: 'webhook' | 'webhook-test' = 'webhook'): string {
		return `${this.front.url}${kind}/${nodes[0]?.webhookId ?? ''}/webhook`;
	}

	/** Items that a workflow was started with so far. */
	of({ id }: SavedWorkflow): Got[] {
		return this.got.filter(({ workflow }) => workflow === id);
	}

	/** Waits until a workflow was started with so many items, and a moment for one too many. */
	async items(workflow: SavedWorkflow, count: number, timeoutMs = 30_000): Promise<Got[]> {
		const deadline = Date.now() + timeoutMs;
		while (this.of(workflow).length < count && Date.now() < deadline) await sleep(50);
		await sleep(300);
		return this.of(workflow);
	}

	/** A call of the service's API. */
	async api(method: string, path: string, body?: object): Promise<IDataObject> {
		const answer = await fetch(`${this.sandbox.baseUrl}${path}`, {
			method,
			headers: {
				authorization: `Bearer ${this.sandbox.keys[0]?.key ?? ''}`,
				'content-type': 'application/json',
			},
			body: body && JSON.stringify(body),
		});
		return (await answer.json()) as IDataObject;
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
