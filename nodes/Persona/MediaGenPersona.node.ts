import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { mediaGenApiTest } from '../../src/description/credentialTest';
import { icons, OPERATION, sharedDescription } from '../../src/description/node';
import { nodeProperties } from '../../src/description/properties';
import { searchAllPersonas } from '../../src/description/search/lists';
import { operations } from './operations';

export class MediaGenPersona implements INodeType {
	description: INodeTypeDescription = {
		...sharedDescription,
		displayName: 'MediaGen Persona',
		name: 'mediaGenPersona',
		icon: icons('persona'),
		subtitle: OPERATION,
		description: 'Create and manage reusable visual identities for images and videos',
		defaults: { name: 'MediaGen Persona' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Makes a reusable visual identity, whose ID the node MediaGen takes to keep a person or character the same in images and videos.',
		},
		properties: nodeProperties([{ value: 'persona', name: 'Persona', operations }]),
	};

	methods = {
		credentialTest: { mediaGenApiTest },
		listSearch: { searchAllPersonas },
	};
}
