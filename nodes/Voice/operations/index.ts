import type { NodeResource } from '../../../src/description/properties';
import { clone } from './customVoice/clone';
import { deleteVoice } from './customVoice/delete';
import { design } from './customVoice/design';
import { get } from './customVoice/get';
import { getAll } from './customVoice/getAll';
import { rename } from './customVoice/rename';
import { getAll as getAllPresets } from './presetVoice/getAll';

export const resources: NodeResource[] = [
	{
		value: 'customVoice',
		name: 'Custom Voice',
		operations: [clone, deleteVoice, design, get, getAll, rename],
	},
	{ value: 'presetVoice', name: 'Preset Voice', operations: [getAllPresets] },
];
