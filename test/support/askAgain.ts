import type { IDataObject } from 'n8n-workflow';
import type { NodeRun } from './nodeContext';

type Way = (time: number, before: IDataObject) => Partial<NodeRun>;

const copyOf = (memory: IDataObject) => JSON.parse(JSON.stringify(memory)) as IDataObject;

/** Ways in which the same request is made a second, a third time, and in which the user has decided that. */
export const DECIDED: Record<string, Way> = {
	'a click in the editor': (time) => ({
		mode: 'manual',
		executionId: `e${time}`,
		nodeMemory: {},
	}),
	'Retry Execution': (time, before) => ({
		mode: time === 1 ? 'trigger' : 'retry',
		executionId: `e${time}`,
		nodeMemory: copyOf(before),
	}),
};

/** All ways in which the same request is made a second, a third time. */
export const WAYS_TO_ASK_AGAIN: Record<string, Way> = {
	...DECIDED,
	'Retry On Fail': (_, nodeMemory) => ({ executionId: 'e1', nodeMemory }),
	'another round': (time, nodeMemory) => ({
		executionId: 'e1',
		runIndex: time,
		continueOnFail: true,
		nodeMemory,
	}),
	'a tool call': (_, nodeMemory) => ({
		executionId: 'e1',
		nodeType: 'n8n-nodes-mediagen.mediaGenTool',
		nodeMemory,
	}),
};
