import { ENDPOINTS } from '../../../../src/contract';
import { voiceLocator } from '../../../../src/description/fields/locators';
import { inPath, type Operation } from '../../../../src/description/operation';
import { id, located } from '../../../../src/description/rules';

export const deleteVoice: Operation = {
	value: 'delete',
	name: 'Delete',
	action: 'Delete a custom voice',
	description: 'Permanently delete a custom voice',
	spec: { endpoint: ENDPOINTS.deleteVoice, output: 'deleted' },
	fields: [{ ui: voiceLocator, mapping: inPath('id', located(id())) }],
};
