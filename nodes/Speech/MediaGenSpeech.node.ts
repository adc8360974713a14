import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { customOperations } from '../../src/n8n/entrance';
import { actionNode, icons, methods, OPERATION, relatedNodes } from '../../src/n8n/node';
import { operations } from './operations';

const resources = [{ value: 'speech', name: 'Speech', operations }];

export class MediaGenSpeech implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(...resources),
		displayName: 'MediaGen Speech',
		name: 'mediaGenSpeech',
		icon: icons('speech'),
		subtitle: OPERATION,
		description:
			'Speak a text of any length, or a dialogue with a voice for each part, in one audio file',
		defaults: { name: 'MediaGen Speech' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Turns a text of any length, or up to 50 blocks with a voice each, into one audio file. Costs credits by length; a retry never pays twice. Use it instead of MediaGen for dialogues and long texts.',
			relatedNodes: relatedNodes({
				mediaGenVoice: 'List, clone or design the voices to speak with',
				mediaGenJob: 'Get or wait for a speech that was made without Wait for Completion',
				mediaGenTrigger: 'Start another workflow the moment that a speech is ready',
			}),
		},
	};

	customOperations = customOperations(resources);

	methods = methods;
}
