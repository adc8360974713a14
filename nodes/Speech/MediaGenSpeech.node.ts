import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';
import { mediaGenApiTest } from '../../src/description/credentialTest';
import { sharedDescription } from '../../src/description/node';
import { singleResourceProperties } from '../../src/description/properties';
import { searchSpeechModels, searchVoices } from '../../src/description/search/models';
import { operations } from './operations';

export class MediaGenSpeech implements INodeType {
	description: INodeTypeDescription = {
		...sharedDescription,
		displayName: 'MediaGen Speech',
		name: 'mediaGenSpeech',
		icon: {
			light: 'file:../icons/mediagen.svg',
			dark: 'file:../icons/mediagen.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ $parameter["operation"].replace("getAll", "getMany").replace(/([A-Z])/g, " $1").toLowerCase() }}',
		description: 'Speak up to 50 blocks of text, each with its voice, in one audio file',
		defaults: { name: 'MediaGen Speech' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Turns text into one audio file, with up to 50 blocks that each have a voice. Use it instead of MediaGen for dialogues and long texts.',
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: true, testedBy: 'mediaGenApiTest' }],
		properties: singleResourceProperties({ value: 'speech', name: 'Speech', operations }),
	};

	methods = {
		credentialTest: { mediaGenApiTest },
		listSearch: { searchSpeechModels, searchVoices },
	};
}
