import { ENDPOINTS } from '../../../../src/contract';
import { voiceLocator } from '../../../../src/description/fields/locators';
import { inPath, type Operation } from '../../../../src/description/operation';
import { id, located } from '../../../../src/description/rules';
import { nameField } from './shared';

export const rename: Operation = {
	value: 'rename',
	name: 'Rename',
	action: 'Rename a custom voice',
	description: 'Rename a custom voice',
	spec: { endpoint: ENDPOINTS.renameVoice, output: 'resource' },
	fields: [{ ui: voiceLocator, mapping: inPath('id', located(id())) }, nameField()],
};
