import { ENDPOINTS } from '../../../src/contract';
import { agentRunLocator } from '../../../src/description/fields/locators';
import { existingOutputs } from '../../../src/description/fields/outputs';
import { inPath, type Operation } from '../../../src/description/operation';
import { id, located } from '../../../src/description/rules';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get the status, plan and files of an agent run',
	description: 'Retrieve an agent run with its plan and outputs',
	spec: { endpoint: ENDPOINTS.getAgentRun, output: 'job', object: 'agent_run' },
	fields: [{ ui: agentRunLocator, mapping: inPath('id', located(id())) }, ...existingOutputs],
};
