import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { actionNode, icons, methods, OPERATION } from '../../src/fields/node';
import { operations } from './operations';

export class MediaGenPersona implements INodeType {
	description: INodeTypeDescription = {
		...actionNode({ value: 'persona', name: 'Persona', operations }),
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

	methods = methods;
}
