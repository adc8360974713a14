import { ENDPOINTS } from '../../../src/contract';
import { generationLocator } from '../../../src/description/fields/locators';
import { existingOutputs } from '../../../src/description/fields/outputs';
import { inPath, type Operation } from '../../../src/description/operation';
import { id, located } from '../../../src/description/rules';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get the status and files of a generation',
	description: 'Retrieve a generation, with fresh links to its outputs',
	spec: { endpoint: ENDPOINTS.getGeneration, output: 'job', object: 'generation' },
	fields: [{ ui: generationLocator, mapping: inPath('id', located(id())) }, ...existingOutputs],
};
