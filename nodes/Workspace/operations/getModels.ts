import { ENDPOINTS, MODEL_MODES, type ModelMode } from '../../../src/contract';
import { listFields } from '../../../src/description/fields/list';
import { optionList } from '../../../src/description/fields/optionList';
import { simplify } from '../../../src/description/fields/simplify';
import { inQuery, type Operation } from '../../../src/description/operation';
import { choice } from '../../../src/description/rules';
import { simpleModel } from '../../../src/description/simplify';

export const getModels: Operation = {
	value: 'getModels',
	name: 'Get Many Models',
	action: 'Get many models',
	description: 'Retrieve the models and their capabilities',
	spec: { endpoint: ENDPOINTS.listModels, output: 'list', simplify: simpleModel },
	fields: [
		{
			ui: {
				displayName: 'Mode',
				name: 'mode',
				type: 'options',
				options: optionList<ModelMode | ''>({
					agent: { name: 'Agent' },
					'': { name: 'All' },
					audio: { name: 'Audio', description: 'Music, sound effects and speech' },
					image: { name: 'Image' },
					video: { name: 'Video' },
				}),
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
