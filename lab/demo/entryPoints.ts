import type { INode } from 'n8n-workflow';
import type { WorkflowData } from '../n8n/rest';

/** What sets an example going. */
export interface EntryPoints {
	/** Triggers that are run by hand, in this order. */
	byHand: string[];
	/** The trigger that waits for an event of the service. */
	byEvent?: string;
	/** What a person does first, in a form or a chat. */
	byPerson?: 'form' | 'chat';
	/** Whether it finds something to do only after a generation has ended. */
	needsGeneration: boolean;
	/** Whether it finds something to do only after an event could not be delivered. */
	needsMissedEvent: boolean;
}

const kindOf = ({ type }: INode) => type.split('.').at(-1) ?? '';

/** Reads from an example's triggers how it is set going. Two triggers that lead to the same node are one. */
export function entryPointsOf({ nodes, connections }: WorkflowData): EntryPoints {
	const kinds = new Map(nodes.map((node) => [node.name, kindOf(node)]));
	const named = (...wanted: string[]) =>
		[...kinds].filter(([, kind]) => wanted.includes(kind)).map(([name]) => name);
	const reached = new Set<string | undefined>();
	const byHand = [
		...named('manualTrigger'),
		...named('scheduleTrigger', 'mediaGenPollingTrigger'),
	].filter((name) => {
		const next = connections[name]?.main?.[0]?.[0]?.node;
		const isNew = !reached.has(next);
		reached.add(next);
		return isNew;
	});
	const [byEvent] = named('mediaGenTrigger');
	const form = named('formTrigger').length > 0;
	const chat = named('chatTrigger').length > 0;
	return {
		byHand,
		byEvent,
		byPerson: form ? 'form' : chat ? 'chat' : undefined,
		needsGeneration: byEvent !== undefined || named('mediaGenPollingTrigger').length > 0,
		needsMissedEvent: nodes.some(({ parameters }) => parameters.resource === 'delivery'),
	};
}
