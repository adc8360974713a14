/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { IConnections, INode, INodeExecutionData, IWorkflowSettings } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from './session';

/** A workflow as it stands in an export file. */
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
		return await this.session.request('POST', '/rest/workflows', { settings: {}, ...workflow });
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
		const started = await this.session.request<{ executionId?: string }>(
			'POST',
			`/rest/workflows/${id}/run`,
			{ triggerToStartFrom: { name: trigger } },
		);
		if (!started.executionId)
			throw new Error(`Workflow ${id} waits for a test event instead of running`);
		return started.executionId;
	}

	/**
	 * Has the trigger listen for one test event, as the editor's Listen button does.
	 * The event then goes to `/webhook-test/<webhookId>/webhook`.
	 */
	async listen(id: string, trigger: string): Promise<void> {
		const answer = await this.session.request<{ waitingForWebhook?: boolean }>(
			'POST',
			`/rest/workflows/${id}/run`,
			{ triggerToStartFrom: { name: trigger } },
		);
		if (!answer.waitingForWebhook) throw new Error(`Workflow ${id} ran instead of listening`);
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

	/** n8n answers before anything has happened; only its status tells. */
	private async settled(
		id: string,
		wanted: PublicationStatus['status'],
		timeoutMs: number,
	): Promise<PublicationStatus> {
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
