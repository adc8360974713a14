import type { Model } from '../../contract';
import type { ModelEntry } from '../catalogue/models';
import { PRESET_VOICES } from '../catalogue/voices';
import type { Settings } from '../state/settings';

/**
 * An entry of the catalogue. Open point 8: only `capabilities.voices` is shown by the
 * specification.
 */
export function formatModel(entry: ModelEntry, { modelFields }: Settings): Model {
	const { id, label, mode, kind, description, defaults, choices } = entry;
	const voices = entry.speechModel && { voices: PRESET_VOICES[entry.speechModel] };
	if (modelFields === 'bare') return { id, capabilities: { ...voices } };
	if (modelFields === 'name') return { id, name: label, capabilities: { ...voices } };
	const capabilities = {
		inputs: entry.inputs,
		parameters: entry.parameters,
		max_prompt_characters: entry.maxPrompt,
		...choices,
		...voices,
	};
	return { id, object: 'model', label, mode, kind, description, capabilities, defaults };
}
