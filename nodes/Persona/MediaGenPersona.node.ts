import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';
import { mediaGenApiTest } from '../../src/description/credentialTest';
import { sharedDescription } from '../../src/description/node';
import { operationProperties } from '../../src/description/properties';
import { searchAllPersonas } from '../../src/description/search/personas';
import { operations } from './operations';

export class MediaGenPersona implements INodeType {
	description: INodeTypeDescription = {
		...sharedDescription,
		displayName: 'MediaGen Persona',
		name: 'mediaGenPersona',
		icon: {
			light: 'file:../icons/mediagen.svg',
			dark: 'file:../icons/mediagen.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ $parameter["operation"].replace("getAll", "getMany").replace(/([A-Z])/g, " $1").toLowerCase() }}',
		description: 'Make and manage reusable visual identities for images and videos',
		defaults: { name: 'MediaGen Persona' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: true, testedBy: 'mediaGenApiTest' }],
		properties: operationProperties(operations),
	};

	methods = {
		credentialTest: { mediaGenApiTest },
		listSearch: { searchAllPersonas },
	};
}
