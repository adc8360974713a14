import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { connectedTo, nodeAt } from '../../../lab/n8n/canvas';
import type { Execution } from '../../../lab/n8n/rest/executions';
import type { WorkflowData } from '../../../lab/n8n/rest/workflows';
import { watchGeneration } from '../../../src/sandbox/engine/generations';
import type { Sandbox } from '../../../src/sandbox/server';
import { callApi } from './sandboxApi';

/** Seconds that a job takes which a test ends itself. */
const FOREVER = 1_000_000;

/** The jobs of a sandbox in this process, which end when a test says so. */
export class Jobs {
	private readonly ended = new Set<string>();

	constructor(private readonly sandbox: Sandbox) {
		Object.assign(this.sandbox.service.settings.jobSeconds, { image: FOREVER, video: FOREVER });
	}

	async api<T = IDataObject>(method: string, path: string, body?: object): Promise<T> {
		return await callApi<T>(this.sandbox, method, path, body);
	}

	async make(count: number): Promise<string[]> {
		const body = { mode: 'image', model: 'studio/image-1', prompt: 'A boat' };
		const made = Array.from(
			{ length: count },
			async () => await this.api('POST', '/generations', body),
		);
		return (await Promise.all(made)).map(({ id }) => String(id));
	}

	/** Lets jobs end now; the service announces it. */
	end(...ids: string[]): void {
		const { service } = this.sandbox;
		for (const workspace of service.store.workspaces.values()) {
			for (const id of ids) {
				const entity = workspace.generations.get(id);
				if (!entity || this.ended.has(id)) continue;
				this.ended.add(id);
				entity.dueAt = service.clock.now();
				watchGeneration(service, workspace, entity);
			}
		}
	}

	/** The webhooks that stand at the service, their secrets included. */
	webhooks() {
		const { workspaces } = this.sandbox.service.store;
		return [...workspaces.values()].flatMap(({ webhooks }) => webhooks.all());
	}

	/** What was delivered to a webhook, or tried. */
	deliveriesOf(webhook: string) {
		const { workspaces } = this.sandbox.service.store;
		return [...workspaces.values()].flatMap((each) => each.deliveriesOf(webhook).all());
	}

	/** All requests of the API so far, such as `GET /jobs/gen_1`. */
	requests(): string[] {
		return this.sandbox.service.requests
			.list()
			.map(({ method, path }) => `${method} ${path.replace('/v1', '')}`);
	}
}

export const startName = 'Start';
export const parkedName = 'Parked';
const afterName = 'After';

const INITIAL = { typeVersion: 1, parameters: {} };

/** Start -> Parked -> After, with an item for each job. */
export function parkedWorkflow(
	credential: { id: string; name: string },
	ids: string[],
	parameters: IDataObject,
	node: Partial<INode> = {},
): WorkflowData {
	const items: INodeExecutionData[] = ids.map((job, row) => ({ json: { job, row } }));
	const nodes: INode[] = [
		{ ...nodeAt(startName, 0), ...INITIAL, type: 'n8n-nodes-base.manualTrigger' },
		{
			...nodeAt(parkedName, 1),
			...INITIAL,
			type: 'n8n-nodes-mediagen.mediaGenJob',
			parameters: {
				operation: 'wait',
				jobId: '={{ $json.job }}',
				waitStyle: 'parked',
				...parameters,
			} as INode['parameters'],
			credentials: { mediaGenApi: { id: credential.id, name: credential.name } },
			...node,
		},
		{
			...nodeAt(afterName, 2),
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			parameters: {
				assignments: {
					assignments: [
						{ id: 'row', name: 'row', type: 'number', value: "={{ $('Start').item.json.row }}" },
					],
				},
				includeOtherFields: true,
				options: {},
			},
		},
	];
	return {
		name: `Parked ${Math.random()}`,
		nodes,
		connections: { [startName]: connectedTo(parkedName), [parkedName]: connectedTo(afterName) },
		pinData: { [startName]: items },
	};
}

/** The output items of the last node of an execution. */
export const outputOf = ({ data }: Execution, node = afterName): INodeExecutionData[] =>
	data.resultData.runData[node]?.at(-1)?.data?.main?.[0] ?? [];

/** The output items of a node, over all its runs. */
export const itemsOfNode = ({ data }: Execution, node: string): INodeExecutionData[] =>
	(data.resultData.runData[node] ?? []).flatMap((run) => run.data?.main?.[0] ?? []);
