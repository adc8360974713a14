import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { mediaGenApiTest } from '../../src/description/credentialTest';
import { icons, OPERATION_AND_RESOURCE, sharedDescription } from '../../src/description/node';
import { nodeProperties } from '../../src/description/properties';
import { searchCustomVoices } from '../../src/description/search/lists';
import { resources } from './operations';

export class MediaGenVoice implements INodeType {
	description: INodeTypeDescription = {
		...sharedDescription,
		displayName: 'MediaGen Voice',
		name: 'mediaGenVoice',
		icon: icons('voice'),
		subtitle: OPERATION_AND_RESOURCE,
		description: 'Clone and design voices, manage them, and list preset voices',
		defaults: { name: 'MediaGen Voice' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Lists the preset voices of a model, and makes custom voices by cloning or describing them, for MediaGen Speech.',
		},
		properties: nodeProperties(resources),
	};

	methods = {
		credentialTest: { mediaGenApiTest },
		listSearch: { searchCustomVoices },
	};
}
