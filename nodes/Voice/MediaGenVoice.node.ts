import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';
import { mediaGenApiTest } from '../../src/description/credentialTest';
import { sharedDescription } from '../../src/description/node';
import { resourceProperties } from '../../src/description/properties';
import { searchCustomVoices } from '../../src/description/search/lists';
import { resources } from './operations';

export class MediaGenVoice implements INodeType {
	description: INodeTypeDescription = {
		...sharedDescription,
		displayName: 'MediaGen Voice',
		name: 'mediaGenVoice',
		icon: {
			light: 'file:../icons/voice.svg',
			dark: 'file:../icons/voice.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ $parameter["operation"].replace("getAll", "getMany").replace(/([A-Z])/g, " $1").toLowerCase() + ": " + $parameter["resource"].replace(/([A-Z])/g, " $1").toLowerCase() }}',
		description: 'Clone and design voices, manage them, and list preset voices',
		defaults: { name: 'MediaGen Voice' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Lists the preset voices of a model, and makes custom voices by cloning or describing them, for MediaGen Speech.',
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: true, testedBy: 'mediaGenApiTest' }],
		properties: resourceProperties(resources),
	};

	methods = {
		credentialTest: { mediaGenApiTest },
		listSearch: { searchCustomVoices },
	};
}
