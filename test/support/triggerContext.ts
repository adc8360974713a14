/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { IDataObject, IHttpRequestOptions, INode } from 'n8n-workflow';
import { EventEmitter } from 'events';
import { sign } from '../../src/trigger/signature';

/** What n8n gives a trigger, and what the trigger asks of it. */
export interface TriggerFixture {
	parameters: Record<string, unknown>;
	credential: IDataObject;
	secretCredential: IDataObject;
	/** As n8n saves it: `global`, and `node:` with the name of each node. */
	staticData: IDataObject;
	url: string;
	mode: string;
	workflowId: string;
	node: INode;
	/** The service. */
	answer: (request: IHttpRequestOptions) => { statusCode: number; body?: unknown };
	requests: IHttpRequestOptions[];
	warnings: string[];
	debugLines: string[];
	input: Array<{ json: IDataObject }>;
	continueOnFail: boolean;
}

let worlds = 0;

/**
 * Each world is a node and a workspace of its own, as what triggers share in a process would get
 * mixed up otherwise.
 */
export function triggerFixture(more: Partial<TriggerFixture> = {}): TriggerFixture {
	worlds += 1;
	return {
		parameters: { events: ['generation.completed'] },
		credential: {
			apiKey: `canary-key-${worlds}`,
			baseUrl: 'https://api.example/v1',
			requestsPerMinute: 1e6,
		},
		secretCredential: { signingSecret: 'whsec_by_hand' },
		staticData: {},
		url: 'https://n8n.example/webhook/x/webhook',
		mode: 'webhook',
		workflowId: 'workflow-1',
		node: {
			id: `node-${worlds}`,
			name: 'Trigger',
			type: 'n8n-nodes-mediagen.mediaGenTrigger',
			typeVersion: 2,
			position: [0, 0],
			parameters: {},
		},
		answer: () => ({ statusCode: 500 }),
		requests: [],
		warnings: [],
		debugLines: [],
		input: [],
		continueOnFail: false,
		...more,
	};
}

/** What a trigger has saved, by the id of its node. */
export const stateIn = ({ staticData, node }: TriggerFixture): IDataObject | undefined =>
	(staticData.global as IDataObject | undefined)?.[`mediagen:${node.id}`] as
		IDataObject | undefined;

/** Static data in which a trigger has saved this. */
export const savedAs = ({ node }: TriggerFixture, state: object): IDataObject => ({
	global: { [`mediagen:${node.id}`]: state as IDataObject },
});

/** The functions that hooks, polls and executions of a trigger get. */
export function triggerContext<T>(world: TriggerFixture, more: object = {}): T {
	const nodeMemory = {};
	const context = {
		getContext: () => nodeMemory,
		getNode: () => world.node,
		getMode: () => world.mode,
		getWorkflow: () => ({ id: world.workflowId, name: 'A workflow', active: true }),
		getWorkflowStaticData: (type: 'global' | 'node') => {
			const name = type === 'global' ? 'global' : `node:${world.node.name}`;
			world.staticData[name] ??= {};
			return world.staticData[name];
		},
		getNodeWebhookUrl: () => world.url,
		getCredentials: async (name: string) =>
			name === 'mediaGenApi' ? world.credential : world.secretCredential,
		getNodeParameter: (name: string, ...rest: unknown[]) => world.parameters[name] ?? rest.at(-1),
		getInputData: () => world.input,
		continueOnFail: () => world.continueOnFail,
		logger: {
			warn: (message: string) => world.warnings.push(message),
			debug: (message: string) => world.debugLines.push(message),
		},
		helpers: {
			async httpRequestWithAuthentication(_name: string, options: IHttpRequestOptions) {
				// As the service sees it: bodies go as text.
				const { body } = options;
				const read = typeof body === 'string' ? (JSON.parse(body) as IDataObject) : body;
				const request: IHttpRequestOptions = { ...options, body: read };
				world.requests.push(request);
				// As n8n's client, which puts the key on before it sends.
				Object.assign(options.headers ?? {}, { authorization: 'Bearer' });
				return { headers: {}, body: {}, ...world.answer(request) };
			},
		},
		...more,
	};
	return context as T;
}

/**
 * An answer as Express has it: `finish` is emitted once n8n has answered, unless the client has
 * hung up before.
 */
export class FakeResponse extends EventEmitter {
	statusCode = 200;

	ended = false;

	readonly headers: Record<string, unknown> = {};

	private closed = false;

	/** The client hangs up. */
	close(): void {
		this.closed = true;
		this.emit('close');
	}

	setHeader(name: string, value: unknown): this {
		this.headers[name] = value;
		return this;
	}

	status(code: number): this {
		this.statusCode = code;
		return this;
	}

	end(): void {
		this.ended = true;
		if (!this.closed) this.emit('finish');
	}
}

export interface FakeDelivery {
	rawBody?: Buffer;
	headers?: Record<string, string | undefined>;
	broken?: boolean;
	response?: FakeResponse;
}

/** The functions that `webhook()` gets for a delivery. */
export function deliveryContext<T>(world: TriggerFixture, delivery: FakeDelivery): T {
	const { rawBody, headers = {}, broken = false, response = new FakeResponse() } = delivery;
	const request = {
		headers,
		rawBody,
		readRawBody: async () => {
			if (broken) throw new Error('the stream is not readable');
		},
	};
	return triggerContext<T>(world, {
		getRequestObject: () => request,
		getResponseObject: () => response,
	});
}

/** A delivery as the service sends it. */
export function signedDelivery(
	secret: string,
	body: string,
	at = Math.floor(Date.now() / 1_000),
): FakeDelivery {
	const timestamp = String(at);
	return {
		rawBody: Buffer.from(body),
		headers: { 'webhook-timestamp': timestamp, 'webhook-signature': sign(secret, timestamp, body) },
	};
}
