import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

const LIST_AND_ID = { type: 'resourceLocator', default: { mode: 'list', value: '' } } as const;

function listMode(search: string): INodePropertyMode {
	return {
		displayName: 'From List',
		name: 'list',
		type: 'list',
		typeOptions: { searchListMethod: search, searchable: true },
	};
}

function idMode(placeholder: string): INodePropertyMode {
	return { displayName: 'By ID', name: 'id', type: 'string', placeholder };
}

/** The models of the chosen mode. */
export const modelLocator: INodeProperties = {
	...LIST_AND_ID,
	displayName: 'Model',
	name: 'model',
	required: true,
	description: 'The model that makes the media',
	modes: [listMode('searchModels'), idMode('e.g. studio/image-1')],
	typeOptions: { loadOptionsDependsOn: ['mode'] },
};

export const generationLocator: INodeProperties = {
	...LIST_AND_ID,
	displayName: 'Generation',
	name: 'generationId',
	required: true,
	description: 'The generation to get',
	modes: [listMode('searchGenerations'), idMode('e.g. gen_8f3a1c')],
};

export const personaLocator: INodeProperties = {
	...LIST_AND_ID,
	displayName: 'Persona',
	name: 'personaId',
	description: 'A reusable visual identity that the images or videos keep',
	modes: [listMode('searchPersonas'), idMode('e.g. 3b241101-e2bb-4255-8caf-4136c566a962')],
};
