import type { INodeExecutionData } from 'n8n-workflow';
import { numbered, readExamples, withCredential } from '../../../lab/demo/examples';
import type {
	Execution,
	SavedCredential,
	SavedWorkflow,
	WorkflowData,
} from '../../../lab/n8n/rest';
import { credentials, rest, sandbox } from './harness';

/** An example as a person has it after the import: n8n fills in the credential. */
export function exampleOf(number: string, credential: SavedCredential): WorkflowData {
	return withCredential(numbered(readExamples(), number), credential);
}

export async function saveExample(number: string): Promise<SavedWorkflow> {
	return await rest.workflows.create(exampleOf(number, credentials.full));
}

/** The output of a node in an execution, over all its runs. */
export type ItemsOf = (node: string, output?: number) => INodeExecutionData[];

/** Runs a saved example from one of its triggers to its good end. */
export async function runExample({ id }: SavedWorkflow, trigger = 'Start'): Promise<ItemsOf> {
	const executionId = await rest.workflows.run(id, trigger);
	const execution = await rest.executions.wait(executionId, { timeoutMs: 110_000 });
	const { error } = execution.data.resultData;
	if (error) throw new Error(`${error.message}: ${error.description ?? ''}`);
	return itemsIn(execution);
}

export function itemsIn({ data }: Execution): ItemsOf {
	return (node, output = 0) =>
		(data.resultData.runData[node] ?? []).flatMap((run) => run.data?.main?.[output] ?? []);
}

/** Bodies of the requests that the sandbox got for an operation, oldest first. */
export async function bodiesOf(operation: string): Promise<Array<Record<string, unknown>>> {
	const sent = (await sandbox.requests()).filter((one) => one.operation === operation);
	return sent.map(({ body }) => body as Record<string, unknown>);
}
