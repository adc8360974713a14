/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type {
	IConnections,
	INode,
	INodeExecutionData,
	IRunData,
	IWorkflowSettings,
} from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from './session';

/** A workflow as in an export file. */
export interface WorkflowData {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
	/** Outputs that a manual run takes instead of running the node, by node name. */
	pinData?: Record<string, INodeExecutionData[]>;
}

export interface SavedWorkflow extends WorkflowData {
	id: string;
	versionId: string;
	active: boolean;
	/** Whether it is in the bin: archived in the editor, but not deleted. */
	isArchived?: boolean;
}

interface PublicationStatus {
	status: 'in_progress' | 'not_published' | 'published' | 'partial' | 'failed';
	triggers: Array<{ errorMessage: string | null }>;
}

/** Workflows of the signed-in user. */
export class Workflows {
	constructor(private readonly session: Session) {}

	async create(workflow: WorkflowData): Promise<SavedWorkflow> {
		return await this.session.request('POST', '/rest/workflows', {
			settings: {},
			// An n8n 1 stores what it is sent and nothing else.
			...(this.session.isOld && { active: false }),
			...workflow,
		});
	}

	async update(id: string, workflow: WorkflowData): Promise<SavedWorkflow> {
		return await this.session.request('PATCH', `/rest/workflows/${id}?forceSave=true`, workflow);
	}

	/** @throws RestError 404 when it was deleted */
	async get(id: string): Promise<SavedWorkflow> {
		return await this.session.request('GET', `/rest/workflows/${id}`);
	}

	async list(): Promise<Array<{ id: string; name: string }>> {
		return await this.session.request('GET', '/rest/workflows');
	}

	/** n8n deletes only what was archived before. */
	async delete(id: string): Promise<void> {
		await this.session.request('POST', `/rest/workflows/${id}/archive`, {});
		await this.session.request('DELETE', `/rest/workflows/${id}`);
	}

	/**
	 * Starts a manual run from a trigger, as the editor's Execute button does.
	 *
	 * @returns id of the execution, which has only begun
	 */
	async run(id: string, trigger: string): Promise<string> {
		const started = await this.runFrom<{ executionId?: string }>(id, trigger);
		if (!started.executionId)
			throw new Error(`Workflow ${id} waits for a test event instead of running`);
		return started.executionId;
	}

	/**
	 * Runs one node by hand, as the editor's *Execute step* does.
	 *
	 * @param runData what the editor shows of the last run: outputs of the nodes before it are taken from there
	 * @returns id of the execution, which has only begun
	 */
	async runStep(id: string, node: string, runData: IRunData): Promise<string> {
		const { executionId } = await this.session.request<{ executionId: string }>(
			'POST',
			`/rest/workflows/${id}/run`,
			{ runData, destinationNode: { nodeName: node, mode: 'inclusive' }, dirtyNodeNames: [] },
		);
		return executionId;
	}

	/**
	 * Has the trigger listen for one test event, as the editor's Listen button does.
	 * The event then goes to `/webhook-test/<webhookId>/webhook`.
	 */
	async listen(id: string, trigger: string): Promise<void> {
		const answer = await this.runFrom<{ waitingForWebhook?: boolean }>(id, trigger);
		if (!answer.waitingForWebhook) throw new Error(`Workflow ${id} ran instead of listening`);
	}

	/**
	 * Has the chat trigger listen for one message, as the editor's chat does.
	 * The message then goes to `/webhook-test/<id>/<session>`.
	 */
	async openChat(id: string, trigger: string, session: string): Promise<void> {
		await this.session.request('POST', `/rest/workflows/${id}/run`, {
			triggerToStartFrom: { name: trigger },
			chatSessionId: session,
		});
	}

	private async runFrom<T>(id: string, trigger: string): Promise<T> {
		return await this.session.request<T>('POST', `/rest/workflows/${id}/run`, {
			triggerToStartFrom: { name: trigger },
			// Up to 2.0 n8n runs what is sent along, later what is saved.
			...(this.session.isOld && { workflowData: await this.get(id) }),
		});
	}

	/**
	 * Publishes a workflow and waits until its triggers stand.
	 *
	 * @throws Error with n8n's reason when a trigger cannot be activated (n8n tries for 15 s)
	 */
	async publish({ id, versionId }: SavedWorkflow, timeoutMs = 60_000): Promise<void> {
		await this.session.request('POST', `/rest/workflows/${id}/activate`, { versionId });
		const { status, triggers } = await this.settled(id, 'published', timeoutMs);
		if (status !== 'published') {
			const reasons = triggers.map(({ errorMessage }) => errorMessage).filter(Boolean);
			throw new Error(`Publishing is ${status}: ${reasons.join('; ') || 'no reason given'}`);
		}
	}

	/** Takes a workflow's triggers down and waits until they are gone. */
	async unpublish(id: string, timeoutMs = 60_000): Promise<void> {
		await this.session.request('POST', `/rest/workflows/${id}/deactivate`);
		await this.settled(id, 'not_published', timeoutMs);
	}

	/** Later n8n than 2.0 answers before anything has happened; only its status says so. */
	private async settled(
		id: string,
		wanted: PublicationStatus['status'],
		timeoutMs: number,
	): Promise<PublicationStatus> {
		if (this.session.isOld) return { status: wanted, triggers: [] };
		const deadline = Date.now() + timeoutMs;
		for (;;) {
			const now = await this.session.request<PublicationStatus>(
				'GET',
				`/rest/workflows/${id}/publication-status`,
			);
			if ([wanted, 'partial', 'failed'].includes(now.status) || Date.now() > deadline) return now;
			await sleep(200);
		}
	}
}
