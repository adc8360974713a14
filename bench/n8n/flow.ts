import type { IConnections, INode, INodeParameters } from 'n8n-workflow';
import type { Rest, SavedCredential, Execution } from '../../lab/n8n/rest';

export interface Step {
	name: string;
	type: string;
	typeVersion?: number;
	parameters: INodeParameters;
	credential?: SavedCredential;
}

const TRIGGER = 'Start';

/**
 * Runs steps in a row by hand, and waits until all has ended well.
 * @throws Error with n8n's message
 */
export async function runFlow(rest: Rest, steps: Step[]): Promise<Execution> {
	const trigger: Step = { name: TRIGGER, type: 'n8n-nodes-base.manualTrigger', parameters: {} };
	const all = [trigger, ...steps];
	const nodes = all.map(
		({ name, type, typeVersion = 1, parameters, credential }, column): INode => {
			const position: [number, number] = [column * 220, 0];
			const credentials = credential && {
				[credential.type]: { id: credential.id, name: credential.name },
			};
			return {
				id: name,
				name,
				type,
				typeVersion,
				parameters,
				position,
				...(credentials && { credentials }),
			};
		},
	);
	const connections: IConnections = {};
	for (const [index, { name }] of all.entries()) {
		const next = all[index + 1];
		if (next) connections[name] = { main: [[{ node: next.name, type: 'main', index: 0 }]] };
	}
	const { id } = await rest.workflows.create({
		name: `Bench ${steps.at(-1)?.name}`,
		nodes,
		connections,
	});
	const executionId = await rest.workflows.run(id, TRIGGER);
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
