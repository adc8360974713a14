/* eslint-disable @n8n/community-nodes/require-node-api-error -- not published */
import type { INode } from 'n8n-workflow';
import { connectedTo, nodeAt } from '../../../lab/n8n/canvas';
import { saveCredential } from '../../../lab/n8n/credential';
import { Queue, type QueueOptions } from '../../../lab/n8n/queue';
import type { SavedCredential, SavedWorkflow } from '../../../lab/n8n/rest';
import { EventInstance } from '../../e2e/support/eventInstance';
import { startEventEnvironment, type EventEnvironment } from '../../e2e/support/eventEnvironment';

/**
 * An {@link EventInstance} with an n8n in queue mode. Its front sends webhooks to the webhook
 * processes that are ready, in turns, all else to the main.
 */
export class QueueInstance extends EventInstance {
	private constructor(
		world: EventEnvironment,
		readonly queue: Queue,
		credential: SavedCredential,
	) {
		super(world, queue.rest, credential);
	}

	static async start(options: QueueOptions = {}): Promise<QueueInstance> {
		const world = await startEventEnvironment(0);
		try {
			const env = { ...world.env, ...options.env };
			const queue = await Queue.start({ ...options, env });
			let turn = 0;
			world.front.target((path) => {
				const isProduction = /^\/webhook(-waiting)?\//.test(path);
				if (!isProduction) return queue.main.port;
				const ready = queue.webhooks.filter((each) => each.isReady);
				turn += 1;
				return ready[turn % ready.length]?.port ?? 0;
			});
			const credential = await saveCredential(queue.rest, 'Queue', world.access);
			return new QueueInstance(world, queue, credential);
		} catch (error) {
			await world.close();
			throw error;
		}
	}

	/** A workflow from a manual trigger to one node of ours, for each of these items. */
	async batch(
		node: Pick<INode, 'type' | 'parameters'> & Partial<INode>,
		items: INode['parameters'][],
	): Promise<SavedWorkflow> {
		const { id, name } = this.credential;
		const trigger: INode = {
			...nodeAt('Start', 0),
			type: 'n8n-nodes-base.manualTrigger',
			typeVersion: 1,
			parameters: {},
		};
		const tried: INode = {
			...nodeAt('Node', 1),
			typeVersion: 1,
			credentials: { mediaGenApi: { id, name } },
			...node,
		};
		return await this.rest.workflows.create({
			name: `Batch ${tried.type}`,
			nodes: [trigger, tried],
			connections: { Start: connectedTo('Node') },
			pinData: { Start: items.map((json) => ({ json })) },
		});
	}

	async stop(): Promise<void> {
		await this.queue.stop();
		await this.world.close();
	}
}
