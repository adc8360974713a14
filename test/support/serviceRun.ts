/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { IHttpRequestOptions, INodeExecutionData, INodeTypeDescription } from 'n8n-workflow';
import { Readable } from 'stream';
import { MediaGen } from '../../nodes/MediaGen/MediaGen.node';
import { systemClock } from '../../src/transport/base/clock';
import type { ApiRequest, SendResult } from '../../src/transport/base/types';
import { ModelService, type ServiceSettings } from '../../testing/modelService';
import type { VirtualClock } from '../../testing/virtualClock';
import { execute } from './engine';
import { nodeRun, type NodeRun } from './nodeContext';

export const clock = systemClock as VirtualClock;

export const locator = (value: string) => ({ __rl: true, mode: 'id', value });

interface Part extends Partial<NodeRun> {
	description?: INodeTypeDescription;
	service?: Partial<ServiceSettings>;
	json?: Array<Record<string, unknown>>;
	given?: Record<string, unknown>;
	own?: (item: number) => Record<string, unknown>;
	/** Answers instead of the model. */
	answers?: (request: ApiRequest) => SendResult | undefined | Promise<SendResult | undefined>;
}

let keys = 0;

/** A node before a service, in virtual time; each has a workspace of its own. */
export function setUp({
	description = new MediaGen().description,
	service,
	json = [{}],
	given,
	own,
	answers = () => undefined,
	credential,
	...run
}: Part = {}) {
	const model = new ModelService(clock, service);
	const sent: Array<ApiRequest & { at: number }> = [];
	const request = async ({ baseURL, method, url, qs, body, headers }: IHttpRequestOptions) => {
		if (!baseURL) {
			const bytes = Buffer.from('picture');
			return {
				statusCode: 200,
				headers: { 'content-length': bytes.length },
				body: Readable.from([bytes]),
			};
		}
		const parsed: unknown = body === undefined ? undefined : JSON.parse(body as string);
		const asked = { method, path: url, query: qs, body: parsed, headers } as unknown as ApiRequest;
		sent.push({ ...asked, at: clock.monotonic() });
		const answered = (await answers(asked)) ?? (await model.send(asked));
		if ('noResponse' in answered)
			throw Object.assign(new Error('socket hang up'), { code: answered.noResponse });
		return { statusCode: answered.status, headers: answered.headers, body: answered.body };
	};
	const items = json.map((each) => ({ json: each })) as INodeExecutionData[];
	keys += 1;
	const apiKey = `canary-key-${keys}-of-a-service`;
	const shared = (more: Partial<NodeRun> = {}) =>
		nodeRun({
			items,
			request,
			...run,
			...more,
			credential: { apiKey, baseUrl: 'https://api.example/v1', ...credential },
		});
	const nodeMemory: NodeRun['nodeMemory'] = {};
	const start = async (more: Partial<NodeRun> = {}, changed: Record<string, unknown> = {}) =>
		await execute(description, shared({ nodeMemory, ...more }), (item) => ({
			...given,
			...own?.(item),
			...changed,
		}));
	const posts = () => sent.filter(({ method }) => method === 'POST');
	return {
		model,
		posts,
		run: async (...all: Parameters<typeof start>) => await clock.run(start(...all)),
	};
}
