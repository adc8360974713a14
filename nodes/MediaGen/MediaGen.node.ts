import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { icons, OPERATION, relatedNodes, sharedDescription } from '../../src/description/node';
import { nodeProperties } from '../../src/description/properties';
import { searchGenerations, searchPersonas } from '../../src/description/search/lists';
import {
	modelValueSearches,
	searchModels,
	searchVoices,
} from '../../src/description/search/models';
import { mediaGenApiTest } from '../../src/description/credentialTest';
import { operations } from './operations';

export class MediaGen implements INodeType {
	description: INodeTypeDescription = {
		...sharedDescription,
		displayName: 'MediaGen',
		name: 'mediaGen',
		icon: icons('mediagen'),
		subtitle: OPERATION,
		description: 'Generate images, videos, music, sound effects and speech',
		defaults: { name: 'MediaGen' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Makes images, videos or audio, waits, and outputs the files and their links; an AI agent gets the links. Costs credits; a retry never pays twice.',
			relatedNodes: relatedNodes({
				mediaGenJob: 'Get or wait for a generation that was made without Wait for Completion',
				mediaGenTrigger: 'Start another workflow the moment that a generation is ready',
				mediaGenPollingTrigger: 'The same for an n8n without a public address',
				mediaGenSpeech: 'Use it instead for dialogues and for text of any length',
			}),
		},
		properties: nodeProperties([{ value: 'generation', name: 'Generation', operations }]),
	};

	methods = {
		credentialTest: { mediaGenApiTest },
		listSearch: {
			searchGenerations,
			searchModels,
			searchVoices,
			searchPersonas,
			...modelValueSearches,
		},
	};
}
