import { SPEECH_MODELS, type SpeechModel } from '../../src/api';
import { refuseRetired } from '../catalogue/models';
import { presetVoices, type PresetVoice } from '../catalogue/voices';
import { voicePrice } from '../credits/prices';
import type { VoiceEntity } from '../entities';
import { invalid } from '../errors';
import type { Handlers } from '../http/operation';
import type { Given } from '../schemas';
import type { Service } from '../service';
import { checkReference } from '../storage/references';
import type { Workspace } from '../store';
import { collection, ok } from './collection';
import { publicUrl, publish, recipeOf } from './job';

/** Open point 2: which model takes custom voices is not shown. */
const CLONING_MODEL: SpeechModel = 'vendor/partner/speech-2.8-turbo';
const PREVIEW = 'Hello! This is how I sound.';

const voices = collection('voice', (workspace) => workspace.voices, formatVoice);

export const voiceOperations = {
	async createVoice({ workspace, body }) {
		const entity = await createVoice(workspace, body);
		const voice = formatVoice(entity, workspace);
		// Open point 4: the name of the field with the credits is not shown.
		return { status: 201, body: { ...voice, credits_charged: entity.creditsCharged } };
	},
	listVoices: voices.list,
	listPresetVoices({ workspace: { service }, query }) {
		const { model = 'service/speech-lite' } = query;
		refuseRetired(service.settings, model);
		const all = presetVoices(model, service.settings.voices, service.links.origin);
		const data = all.filter((voice) => matches(voice, query));
		if (service.settings.catalogueOrder === 'reversed') data.reverse();
		return ok({ object: 'list', model, data });
	},
	getVoice: voices.get,
	renameVoice({ workspace, id, body }) {
		const entity = voices.find({ workspace, id });
		entity.name = body.name;
		return ok(formatVoice(workspace.voices.put(entity), workspace));
	},
	deleteVoice({ workspace, id }) {
		workspace.outputs.delete(voices.find({ workspace, id }).preview);
		return voices.remove({ workspace, id });
	},
} satisfies Partial<Handlers>;

/** A custom voice as it goes over the wire. */
function formatVoice({ id, name, kind, preview }: VoiceEntity, workspace: Workspace) {
	return { id, object: 'voice', name, kind, preview_url: publicUrl(workspace, preview, 'speech') };
}

/**
 * Clones or designs a voice. The charge covers the creation and the synthesis of the preview.
 * Specification: Operation details, POST /voices.
 */
async function createVoice(workspace: Workspace, body: Given<'createVoice'>): Promise<VoiceEntity> {
	const { clock, dispatcher, ids, ledger, settings, usage } = workspace.service;
	if (body.kind === 'clone') checkReference(workspace, body.audio_url, 'audio_url');
	if (settings.jobSeconds.voice > 0) await clock.sleep(settings.jobSeconds.voice);
	const text = body.preview_text || PREVIEW;
	const credits = voicePrice(body.kind, text);
	const [id, preview] = [ids.next('voc'), ids.next('out')];
	ledger.charge(workspace.id, id, credits);
	usage.add(workspace.id, 'voice', credits, 1);
	const recipe = { ...recipeOf(workspace, id, text), voice: id };
	publish(workspace, { id: preview, kind: 'speech', recipe });
	const createdAt = workspace.voices.stamp(clock.now());
	const entity = workspace.voices.put({
		id,
		workspace: workspace.id,
		createdAt,
		name: body.name,
		kind: body.kind,
		preview,
		creditsCharged: credits,
	});
	dispatcher.emit(workspace, 'voice.created', formatVoice(entity, workspace));
	return entity;
}

function matches(
	voice: PresetVoice,
	{ language, gender, search }: Given<'listPresetVoices', 'query'>,
): boolean {
	const locale = voice.language_code.toLowerCase();
	const wanted = language?.toLowerCase();
	if (wanted && locale !== wanted && locale.split('-')[0] !== wanted) return false;
	if (gender && voice.gender?.toLowerCase() !== gender.toLowerCase()) return false;
	const text = `${voice.id}\n${voice.name}`.toLowerCase();
	return !search || text.includes(search.toLowerCase());
}

const presetOf = ({ settings }: Service, model: SpeechModel, id: string) =>
	presetVoices(model, settings.voices).find((voice) => voice.id === id);

/**
 * Refuses a voice that the model does not have: preset ids belong to one model, custom voices to
 * the cloning model only. Specification: Operation details, POST /speech.
 */
export function checkVoice(
	workspace: Workspace,
	model: SpeechModel,
	voice: string,
	field: string,
): void {
	if (presetOf(workspace.service, model, voice)) return;
	if (!workspace.voices.get(voice)) throw invalid(field, `is not a voice of the model ${model}`);
	if (model === CLONING_MODEL) return;
	throw invalid(field, `is a custom voice, which the model ${model} does not take`);
}

/** A voice as the synthesizer takes it: with its gender in front, where it is known. */
export function soundOf(service: Service, voice: string | undefined): string | undefined {
	if (voice === undefined) return undefined;
	const preset = SPEECH_MODELS.flatMap((model) => presetOf(service, model, voice) ?? [])[0];
	return preset?.gender ? `${preset.gender} ${voice}` : voice;
}

/** What GET of a preset voice's `sample_url` plays; undefined for a voice that is not there. */
export function sampleOf(service: Service, voice: string) {
	const exists = SPEECH_MODELS.some((model) => presetOf(service, model, voice));
	if (!exists) return undefined;
	const recipe = { prompt: PREVIEW, seed: 0, index: 0, voice: soundOf(service, voice) };
	return { id: `sample-${voice}`, kind: 'speech' as const, recipe };
}
