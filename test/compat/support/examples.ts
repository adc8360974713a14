import type { INode } from 'n8n-workflow';
import { numberOf, readExamples, withCredential } from '../../../lab/demo/examples';
import type { WorkflowData } from '../../../lab/n8n/rest';
import { SandboxAdmin } from '../../../lab/sandbox/admin';
import type { EventInstance } from '../../e2e/support/eventInstance';

/** Examples that need no person, event or pause: what starts them, and the node at their end. */
const RUN: Record<string, [trigger: string, end: string]> = {
	'1': ['Start', 'Collect Media'],
	'2': ['Start', 'Animate Picture'],
	'3': ['Start', 'Speak Podcast'],
	'4': ['Start', 'Generate Scene'],
	'5': ['Start', 'Remove Voice'],
	'8': ['Every Night', 'Summary'],
	'8b': ['Every Night', 'Summary'],
	'11': ['Start', 'Send Report'],
	'12': ['Start', 'Keep Those Finished'],
	'16': ['Start', 'Compare'],
	'17': ['Start', 'Send Mail'],
};

/**
 * Imports all examples and runs those that run by themselves.
 * @returns the numbers of those with a node that this n8n does not have, and what came of the others
 */
export async function tryExamples({ rest, credential, sandbox }: EventInstance) {
	const types = await rest.nodes.types();
	const isThere = ({ type, typeVersion }: INode) =>
		types.some(({ name, version }) => name === type && [version].flat().includes(typeVersion));
	await new SandboxAdmin(sandbox.adminUrl).reset();

	/** @returns `ok`, or what went wrong */
	const run = async (id: string, trigger: string, end: string): Promise<string> => {
		const executionId = await rest.workflows.run(id, trigger);
		const { data } = await rest.executions.wait(executionId, { timeoutMs: 150_000 });
		const { error, runData } = data.resultData;
		if (error) return `${error.message} ${error.description ?? ''}`;
		return end in runData ? 'ok' : `${end} did not run`;
	};
	const imported: Array<{ example: WorkflowData; id: string }> = [];
	// One after the other: the database of an n8n 1 bears no two at once.
	for (const example of readExamples()) {
		const { id } = await rest.workflows.create(withCredential(example, credential));
		imported.push({ example, id });
	}
	const tried = async ({ example, id }: { example: WorkflowData; id: string }) => {
		const number = numberOf(example.name) ?? example.name;
		const lacks = !example.nodes.every(isThere);
		const [trigger, end] = RUN[number] ?? [];
		const runs = trigger !== undefined && end !== undefined && !lacks;
		return { number, lacks, came: runs ? await run(id, trigger, end) : undefined };
	};
	const all = await Promise.all(imported.map(tried));
	return {
		lacking: all.filter(({ lacks }) => lacks).map(({ number }) => number),
		ran: all.flatMap(({ number, came }) => (came === undefined ? [] : [`${number}: ${came}`])),
		/** Of what runs by itself, all that this n8n has the nodes for. */
		wanted: all.flatMap(({ number, lacks }) => (number in RUN && !lacks ? [`${number}: ok`] : [])),
	};
}
