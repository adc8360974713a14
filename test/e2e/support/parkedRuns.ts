import type { IDataObject, INode } from 'n8n-workflow';
import type { Execution } from '../../../lab/n8n/rest';
import type { WorkflowData } from '../../../lab/n8n/rest/workflows';
import type { EventInstance } from './eventInstance';
import { Jobs, parkedWorkflow, startName } from './parkedJobs';
import { signedHeaders } from './signed';

/** Nothing but events ends these waits within a test. */
export const EVENTS = { resumeBy: 'eventsAndTimer', lookAgainAfter: 60 };

/**
 * By when a parking run has removed what others left, also where a sweep is at work when it begins,
 * and rests.
 */
export const SWEPT_MS = 120_000;

/** An event as the service sends it. */
export const bodyOf = (id: string, eventId: string, status = 'completed') =>
	JSON.stringify({
		id: eventId,
		type: 'generation.completed',
		data: { object: { id, object: 'generation', status } },
	});

/** Parked executions of an n8n, whatever processes it has, and the jobs that they wait for. */
export class ParkedRuns<Instance extends EventInstance = EventInstance> {
	readonly jobs: Jobs;

	/** @param processes that take calls to resume addresses */
	constructor(
		readonly instance: Instance,
		readonly processes = 1,
	) {
		this.jobs = new Jobs(instance.sandbox);
	}

	async run(workflow: WorkflowData): Promise<string> {
		const { id } = await this.instance.rest.workflows.create(workflow);
		return await this.instance.rest.workflows.run(id, startName);
	}

	/** Starts a workflow that waits for these jobs. */
	async park(
		ids: string[],
		parameters: IDataObject = EVENTS,
		node: Partial<INode> = {},
	): Promise<string> {
		return await this.run(parkedWorkflow(this.instance.credential, ids, parameters, node));
	}

	async isParked(id: string): Promise<Execution> {
		return await this.instance.rest.executions.wait(id, { until: ['waiting'], timeoutMs: 60_000 });
	}

	async ended(id: string): Promise<Execution> {
		return await this.instance.rest.executions.wait(id, { timeoutMs: 300_000 });
	}

	async status(id: string): Promise<string> {
		return (await this.instance.rest.executions.get(id)).status;
	}

	private isOf(id: string): (webhook: { url: string }) => boolean {
		return ({ url }) => new RegExp(`/webhook-waiting/${id}\\b`).test(url);
	}

	webhookOf(id: string) {
		const found = this.jobs.webhooks().find(this.isOf(id));
		if (!found) throw new Error(`execution ${id} has no webhook`);
		return found;
	}

	noWebhookOf(id: string): boolean {
		return !this.jobs.webhooks().some(this.isOf(id));
	}

	/** Whether the service has delivered the end of a job to an execution, and got an answer. */
	isDelivered(execution: string, job: string): boolean {
		const { id } = this.webhookOf(execution);
		return this.jobs.deliveriesOf(id).some(({ body }) => body.includes(`"${job}"`));
	}

	/**
	 * What the service was asked about these jobs since then; executions of other tests go on
	 * meanwhile.
	 */
	askedAbout(ids: string[], since: number): string[] {
		return this.jobs
			.requests()
			.slice(since)
			.filter((one) => one === 'GET /generations' || ids.some((id) => one.endsWith(id)));
	}

	/**
	 * Calls the resume address of an execution, as its webhook does unless other headers are given.
	 * @returns the status
	 */
	async deliver(
		execution: string,
		body: string,
		headers?: Record<string, string>,
	): Promise<number> {
		const { url, secret } = this.webhookOf(execution);
		const options = { headers: headers ?? signedHeaders(secret, body) };
		return (await this.instance.call(url, options, body)).status;
	}
}
