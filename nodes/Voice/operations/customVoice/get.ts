import { ENDPOINTS } from '../../../../src/contract';
import { voiceLocator } from '../../../../src/description/fields/locators';
import { inPath, type Operation } from '../../../../src/description/operation';
import { id, located } from '../../../../src/description/rules';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get a custom voice',
	description: 'Retrieve a custom voice',
	spec: { endpoint: ENDPOINTS.getVoice, output: 'resource' },
	fields: [{ ui: voiceLocator, mapping: inPath('id', located(id())) }],
};
