import type { INode } from 'n8n-workflow';
import { bodyOf, EVENTS, SWEPT_MS, type ParkedRuns } from './parkedRuns';
import { outputOf, parkedName, parkedWorkflow, startName } from './parkedJobs';
import { until } from './until';

/** Parked waits in larger workflows, cancelled and retried, in every mode of n8n. */
export function parkedFlowRules(given: () => ParkedRuns): void {
	it('Loop Over Items parks once a round', async () => {
		const runs = given();
		const { jobs, instance } = runs;
		const ids = await jobs.make(4);
		const single = parkedWorkflow(instance.credential, ids, EVENTS);
		const [start, parked] = single.nodes;
		if (!start || !parked) throw new Error('no nodes');
		const loop: INode = {
			...start,
			id: 'loop',
			name: 'Loop',
			type: 'n8n-nodes-base.splitInBatches',
			typeVersion: 3,
			parameters: { batchSize: 2, options: {} },
		};
		const edge = (node: string) => [{ node, type: 'main' as const, index: 0 }];
		const id = await runs.run({
			...single,
			nodes: [start, loop, parked],
			connections: {
				[startName]: { main: [edge('Loop')] },
				Loop: { main: [[], edge(parkedName)] },
				[parkedName]: { main: [edge('Loop')] },
			},
		});
		for (const round of [ids.slice(0, 2), ids.slice(2)]) {
			await until(() => !runs.noWebhookOf(id));
			await runs.isParked(id);
			jobs.end(...round);
			await until(() => runs.noWebhookOf(id));
		}
		const execution = await runs.ended(id);
		const done = execution.data.resultData.runData.Loop?.at(-1)?.data?.main?.[0] ?? [];
		expect(done.map(({ json }) => [json.id, json.finished])).toEqual(ids.map((job) => [job, true]));
	});

	it('an execution that waits at another node by now is resumed neither by events nor by the sweep of another run', async () => {
		const runs = given();
		const { jobs, instance } = runs;
		const [job = '', other = ''] = await jobs.make(2);
		const { nodes, ...rest } = parkedWorkflow(instance.credential, [job], EVENTS);
		const [start, parked] = nodes;
		if (!start || !parked) throw new Error('no nodes');
		const approval: INode = {
			...start,
			id: 'approval',
			name: 'Approval',
			type: 'n8n-nodes-base.wait',
			typeVersion: 1.1,
			parameters: { resume: 'webhook' },
			webhookId: 'approval',
		};
		const id = await runs.run({
			...rest,
			nodes: [start, parked, approval],
			connections: {
				...rest.connections,
				[parkedName]: { main: [[{ node: 'Approval', type: 'main', index: 0 }]] },
			},
		});
		await runs.isParked(id);
		// The webhook stays, as it does where the timer ends the parking.
		instance.faults([
			{ kind: 'status_before', status: 403, operations: ['deleteWebhook'], times: 1 },
		]);
		const { lastNodeExecuted } = (await runs.isParked(id)).data.resultData;
		expect(lastNodeExecuted).toBe(parkedName);
		jobs.end(job);
		await until(async () => {
			const { status, data } = await instance.rest.executions.get(id);
			return status === 'waiting' && data.resultData.lastNodeExecuted === 'Approval';
		});
		instance.faults([]);
		expect(runs.noWebhookOf(id)).toBe(false);
		expect(await runs.deliver(id, bodyOf(job, 'evt_left'))).toBe(404);
		// Shows that the sweep has been at work.
		const over = await runs.park([other]);
		await runs.isParked(over);
		await instance.rest.executions.stop(over);
		const next = await runs.park([other]);
		await runs.isParked(next);
		await until(() => runs.noWebhookOf(over), SWEPT_MS);
		expect(runs.noWebhookOf(over)).toBe(true);
		jobs.end(other);
		await runs.ended(next);
		expect(await runs.status(id)).toBe('waiting');
		await instance.rest.executions.stop(id);
	});

	it('a sub-workflow that is run once parks and gives its items back', async () => {
		const runs = given();
		const { jobs, instance } = runs;
		const ids = await jobs.make(2);
		const inner = parkedWorkflow(instance.credential, [], EVENTS);
		const [first, ...rest] = inner.nodes;
		if (!first) throw new Error('no nodes');
		const trigger: INode = {
			...first,
			type: 'n8n-nodes-base.executeWorkflowTrigger',
			typeVersion: 1.1,
			parameters: { inputSource: 'passthrough' },
		};
		const child = await instance.rest.workflows.create({
			name: inner.name,
			// Without what follows: it pairs with rows that a child does not have.
			nodes: [trigger, ...rest.slice(0, 1)],
			connections: { [startName]: inner.connections[startName] ?? {} },
		});
		await instance.rest.workflows.publish(child);
		const outer = parkedWorkflow(instance.credential, ids, {});
		const [start] = outer.nodes;
		if (!start) throw new Error('no nodes');
		const call: INode = {
			...start,
			id: parkedName,
			name: parkedName,
			type: 'n8n-nodes-base.executeWorkflow',
			typeVersion: 1.2,
			parameters: {
				workflowId: { __rl: true, mode: 'id', value: child.id },
				workflowInputs: { mappingMode: 'defineBelow', value: {} },
				mode: 'once',
				options: {},
			},
		};
		const id = await runs.run({
			...outer,
			nodes: [start, call],
			connections: { [startName]: outer.connections[startName] ?? {} },
		});
		await runs.isParked(id);
		const [inside] = await instance.rest.executions.list(child.id);
		await runs.isParked(inside?.id ?? '');
		jobs.end(...ids);
		const execution = await runs.ended(id);
		const items = outputOf(execution, parkedName);
		expect(items.map(({ json }) => [json.id, json.finished])).toEqual(
			ids.map((job) => [job, true]),
		);
	});

	it('cancelled: its events are refused; retried: the parked items go on; the next parking run removes its webhook', async () => {
		const runs = given();
		const { jobs, instance } = runs;
		const { executions } = instance.rest;
		const ids = await jobs.make(2);
		const id = await runs.park(ids);
		await runs.isParked(id);
		await executions.stop(id);
		expect(await runs.deliver(id, bodyOf(ids[0] ?? '', 'evt_late'))).toBe(409);
		const retried = await runs.ended(await executions.retry(id));
		expect(outputOf(retried).map(({ json }) => [json.id, json.finished])).toEqual(
			ids.map((job) => [job, false]),
		);
		const others = await jobs.make(1);
		const next = await runs.park(others);
		await runs.isParked(next);
		await until(() => runs.noWebhookOf(id), SWEPT_MS);
		expect(runs.noWebhookOf(id)).toBe(true);
		expect(runs.noWebhookOf(next)).toBe(false);
		jobs.end(...others);
		await runs.ended(next);
	});
}
