import { ENDPOINTS, MODEL_MODES } from '../../../src/contract';
import { listFields } from '../../../src/description/fields/list';
import { simplify } from '../../../src/description/fields/simplify';
import { inQuery, type Operation } from '../../../src/description/operation';
import { choice } from '../../../src/description/rules';
import { simpleModel } from '../../../src/description/simplify';

export const getModels: Operation = {
	value: 'getModels',
	name: 'Get Many Models',
	action: 'Get many models',
	description: 'Retrieve the models with what they can do',
	spec: { endpoint: ENDPOINTS.listModels, output: 'list', simplify: simpleModel },
	fields: [
		{
			ui: {
				displayName: 'Mode',
				name: 'mode',
				type: 'options',
				options: [
					{ name: 'Agent', value: 'agent' },
					{ name: 'All', value: '' },
					{ name: 'Audio', value: 'audio', description: 'Music, sound effects and speech' },
					{ name: 'Image', value: 'image' },
					{ name: 'Video', value: 'video' },
				],
				default: '',
				description: 'Only models that make this kind of media',
			},
			mapping: inQuery('mode', choice(MODEL_MODES)),
		},
		...listFields,
		{
			ui: {
				...simplify.ui,
				description:
					'Whether to return a simplified version of the response instead of the raw data: without the lists of voices',
			},
		},
	],
};
