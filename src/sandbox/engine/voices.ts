import type { SpeechModel } from '../../contract';
import { PRESET_VOICES } from '../catalogue/voices';
import { invalid } from '../errors';
import type { Service } from '../service';
import type { Workspace } from '../state/store';

/**
 * Refuses a voice that the model does not have: preset ids belong to one model, custom voices to
 * the cloning model only. Specification: Operation details, POST /speech.
 */
export function checkVoice(
	{ settings }: Service,
	workspace: Workspace,
	model: SpeechModel,
	voice: string,
	field: string,
): void {
	if (PRESET_VOICES[model].some(({ id }) => id === voice)) return;
	if (!workspace.voices.get(voice)) throw invalid(field, `is not a voice of the model ${model}`);
	if (model === settings.cloningModel) return;
	throw invalid(field, `is a custom voice, which the model ${model} does not take`);
}
