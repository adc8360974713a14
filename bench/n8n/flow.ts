import type { INode, INodeParameters } from 'n8n-workflow';
import { connectedTo, nodeAt } from '../../lab/n8n/canvas';
import { credentialOf, type Execution, type Rest, type SavedCredential } from '../../lab/n8n/rest';

export interface Step {
	name: string;
	type: string;
	/** Default: 1. */
	typeVersion?: number;
	parameters: INodeParameters;
	credential?: SavedCredential;
}

const TRIGGER: Step = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} };

/**
 * Runs steps in a row by hand, and waits until all has ended well.
 * @throws Error with n8n's message
 */
export async function runFlow(rest: Rest, steps: Step[]): Promise<Execution> {
	const nodes = [TRIGGER, ...steps].map(({ credential, ...step }, column): INode => {
		const credentials = credential && credentialOf(credential);
		return { typeVersion: 1, ...nodeAt(step.name, column), ...step, credentials };
	});
	const connections = nodes.slice(1).map(({ name }, index) => {
		return [nodes[index]!.name, connectedTo(name)];
	});
	const { id } = await rest.workflows.create({
		name: `Bench ${steps.at(-1)?.name}`,
		nodes,
		connections: Object.fromEntries(connections),
	});
	const executionId = await rest.workflows.run(id, TRIGGER.name);
	const execution = await rest.executions.wait(executionId, { timeoutMs: 300_000 });
	const { error } = execution.data.resultData;
	await rest.workflows.delete(id);
	if (execution.status !== 'success') throw new Error(`${execution.status}: ${error?.message}`);
	return execution;
}

/** When a step ran, in milliseconds since the epoch, and what it gave. */
export function stepOf({ data }: Execution, name: string) {
	const run = data.resultData.runData[name]?.at(-1);
	if (!run) throw new Error(`${name} did not run`);
	const { startTime, executionTime } = run;
	const items = run.data?.main?.[0] ?? [];
	return { from: startTime, to: startTime + executionTime, milliseconds: executionTime, items };
}
