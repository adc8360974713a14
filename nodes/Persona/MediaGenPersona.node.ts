import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { customOperations } from '../../src/n8n/entrance';
import { actionNode, icons, methods, OPERATION } from '../../src/n8n/node';
import { operations } from './operations';

const resources = [{ value: 'persona', name: 'Persona', operations }];

export class MediaGenPersona implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(...resources),
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
	};

	customOperations = customOperations(resources);

	methods = methods;
}
