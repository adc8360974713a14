import { ENDPOINTS, SPEECH_MODELS } from '../../../../src/contract';
import { listFields } from '../../../../src/description/fields/list';
import { simplify } from '../../../../src/description/fields/simplify';
import { inQuery, type Field, type Operation } from '../../../../src/description/operation';
import { choice, text } from '../../../../src/description/rules';
import { nameFromId } from '../../../../src/description/search/names';
import { simpleVoice } from '../../../../src/description/simplify';

const filters: Field = {
	ui: {
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add filter',
		default: {},
	},
	fields: [
		{
			ui: {
				displayName: 'Gender',
				name: 'gender',
				type: 'string',
				default: '',
				placeholder: 'e.g. female',
				description: 'Only voices of this gender, in the words of the catalogue',
			},
			mapping: inQuery('gender', text()),
		},
		{
			ui: {
				displayName: 'Language',
				name: 'language',
				type: 'string',
				default: '',
				placeholder: 'e.g. en-US',
				description: 'Only voices of this locale or base language, such as en-US or en',
			},
			mapping: inQuery('language', text()),
		},
		{
			ui: {
				displayName: 'Search',
				name: 'search',
				type: 'string',
				default: '',
				placeholder: 'e.g. aria',
				description: 'Only voices whose ID or name contains this text',
			},
			mapping: inQuery('search', text()),
		},
	],
};

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many preset voices',
	description: 'Retrieve the preset voices of a speech model',
	spec: { endpoint: ENDPOINTS.listPresetVoices, output: 'list', simplify: simpleVoice },
	fields: [
		{
			ui: {
				displayName: 'Model',
				name: 'model',
				type: 'options',
				options: SPEECH_MODELS.map((model) => ({
					name: nameFromId(model),
					value: model,
					description: model,
				})),
				default: 'service/speech-lite',
				description: 'The speech model whose voices to list',
			},
			mapping: inQuery('model', choice(SPEECH_MODELS)),
		},
		...listFields,
		filters,
		simplify,
	],
};
