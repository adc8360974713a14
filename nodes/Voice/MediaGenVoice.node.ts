import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { customOperations } from '../../src/n8n/entrance';
import { actionNode, icons, methods, OPERATION_AND_RESOURCE } from '../../src/n8n/node';
import { resources } from './operations';

export class MediaGenVoice implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(...resources),
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
	};

	customOperations = customOperations(resources);

	methods = methods;
}
