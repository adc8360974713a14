/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { parse } from 'flatted';
import type { INode, IRunExecutionData } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from './session';

/** Values of an execution's `status` in n8n 2.41. */
export type ExecutionStatus =
	'new' | 'running' | 'waiting' | 'success' | 'error' | 'canceled' | 'crashed';

/** An execution with its data. */
export interface Execution {
	id: string;
	status: ExecutionStatus;
	/** `manual`, `retry`, `webhook`, `trigger` … */
	mode: string;
	/** Id of the execution that this one retries. */
	retryOf: string | null;
	workflowId: string;
	/** When a parked execution goes on by itself. */
	waitTill: string | null;
	/** The workflow as it was when it ran. */
	workflowData: { nodes: INode[] };
	data: IRunExecutionData;
}

/** The statuses that an execution does not leave again. */
export const finalStatuses: readonly ExecutionStatus[] = [
	'success',
	'error',
	'canceled',
	'crashed',
];

type Stored = Omit<Execution, 'data'> & { data: string };

/** Executions of the signed-in user's workflows. */
export class Executions {
	/** Called with each execution that is read with its data. */
	onRead: (execution: Execution) => void = () => {};

	constructor(private readonly session: Session) {}

	async get(id: string): Promise<Execution> {
		const stored = await this.read(id);
		const execution = { ...stored, data: parse(stored.data) as IRunExecutionData };
		this.onRead(execution);
		return execution;
	}

	/**
	 * Waits for an execution.
	 *
	 * @param options.until statuses to wait for; default: all final ones
	 * @throws Error after `timeoutMs` (default 120 s); the execution goes on
	 */
	async wait(
		id: string,
		options: { until?: readonly ExecutionStatus[]; timeoutMs?: number } = {},
	): Promise<Execution> {
		const { until = finalStatuses, timeoutMs = 120_000 } = options;
		const deadline = Date.now() + timeoutMs;
		for (;;) {
			const stored = await this.read(id);
			if (until.includes(stored.status)) return await this.get(id);
			if (finalStatuses.includes(stored.status) || Date.now() > deadline) {
				throw new Error(`Execution ${id} is ${stored.status}, not ${until.join(' or ')}`);
			}
			await sleep(100);
		}
	}

	/** The newest 100 executions of a workflow, of these statuses if given, without their data. */
	async list(
		workflowId: string,
		status?: readonly ExecutionStatus[],
	): Promise<Array<Omit<Execution, 'data'>>> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId, ...(status && { status }) }));
		const { results } = await this.session.request<{ results: Array<Omit<Execution, 'data'>> }>(
			'GET',
			`/rest/executions?limit=100&filter=${filter}`,
		);
		return results;
	}

	/** Cancels a running or waiting execution, as the editor's Stop button does. */
	async stop(id: string): Promise<void> {
		await this.session.request('POST', `/rest/executions/${id}/stop`);
	}

	async delete(ids: readonly string[]): Promise<void> {
		await this.session.request('POST', '/rest/executions/delete', { ids });
	}

	/**
	 * Retries a failed execution from the node that failed.
	 *
	 * @param loadWorkflow true takes the workflow as saved now, false as it was then
	 * @returns id of the new execution, which has already ended
	 */
	async retry(id: string, loadWorkflow = false): Promise<string> {
		const retried = await this.session.request<{ id: string }>(
			'POST',
			`/rest/executions/${id}/retry`,
			{ loadWorkflow },
		);
		return retried.id;
	}

	private async read(id: string): Promise<Stored> {
		return await this.session.request<Stored>('GET', `/rest/executions/${id}`);
	}
}
