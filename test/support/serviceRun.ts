import type { INodeExecutionData, INodeType, NodeApiError } from 'n8n-workflow';
import { MediaGen } from '../../nodes/MediaGen/MediaGen.node';
import { systemClock } from '../../src/base/clock';
import type { ApiRequest, SendResult } from '../../src/base/types';
import { ModelService, type ServiceSettings } from '../model/modelService';
import { execute } from './engine';
import { n8nRequest } from './n8nRequest';
import { nodeRun, type NodeRun } from './nodeContext';
import type { systemClock as virtualClock } from './virtualTime';

/** Every test that uses this mocks the clock by `virtualTime`. */
export const clock = systemClock as typeof virtualClock;

export const byId = (value: string) => ({ __rl: true, mode: 'id', value });

/** A node, what it is given, and the service before which it runs. */
export interface Part extends Partial<NodeRun> {
	node?: Pick<INodeType, 'description' | 'customOperations'>;
	service?: Partial<ServiceSettings>;
	json?: Array<Record<string, unknown>>;
	given?: Record<string, unknown>;
	own?: (item: number) => Record<string, unknown>;
	/** What happens before a file goes up or comes down. */
	storage?: (method: string) => Promise<void>;
	/** Answers instead of the model. */
	answers?: (request: ApiRequest) => SendResult | undefined | Promise<SendResult | undefined>;
}

let keys = 0;

/** A node before a service, in virtual time; each has a workspace of its own. */
export function setUp({
	node = new MediaGen(),
	service,
	json = [{}],
	given,
	own,
	answers = () => undefined,
	storage,
	credential,
	...run
}: Part = {}) {
	const model = new ModelService(clock, service);
	const sent: ApiRequest[] = [];
	const request = n8nRequest(async (asked) => {
		sent.push(asked);
		return (await answers(asked)) ?? (await model.send(asked));
	}, storage);
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
		await execute(node, shared({ nodeMemory, ...more }), (item) => ({
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

interface Ended {
	items: INodeExecutionData[];
	error?: NodeApiError;
}

/** What a run ended with, well or badly. */
export const ended = async (run: Promise<INodeExecutionData[]>): Promise<Ended> =>
	await run.then(
		(items): Ended => ({ items }),
		(error: NodeApiError) => ({ items: [], error }),
	);
