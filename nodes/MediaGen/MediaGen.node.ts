import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { customOperations } from '../../src/n8n/entrance';
import { actionNode, icons, methods, OPERATION, relatedNodes } from '../../src/n8n/node';
import { operations } from './operations';

const resources = [{ value: 'generation', name: 'Generation', operations }];

export class MediaGen implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(...resources),
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
	};

	customOperations = customOperations(resources);

	methods = methods;
}
