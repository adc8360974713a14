import {
	INPUT_SLOTS,
	LIMITS,
	type GenerationParameters,
	type InputSlot,
	type ModelMode,
	type SpeechModel,
} from '../../src/api';
import { invalid } from '../errors';
import type { MediaKind } from '../media/types';
import type { Settings } from '../settings';
import type { PresetVoice } from './voices';

export type ParameterName = keyof GenerationParameters;

/** A model as the sandbox keeps it. */
export interface ModelEntry {
	id: string;
	label: string;
	mode: ModelMode;
	/** What its outputs are; none for an agent. */
	kind?: MediaKind;
	description: string;
	inputs: readonly InputSlot[];
	parameters: readonly ParameterName[];
	/** In characters; that of the specification where there is none. */
	maxPrompt?: number;
	/** What a request that leaves a parameter out gets. */
	defaults: Record<string, string | number | boolean>;
	/** Values that the catalogue offers for an enumerated parameter. */
	choices?: Partial<Record<ParameterName, readonly string[]>>;
	speechModel?: SpeechModel;
}

const SIZES = ['1024x1024', '1536x1024', '1024x1536', '512x512'];
const RATIOS = ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3'];
const QUALITIES = ['low', 'medium', 'high'];
const SPEEDS = ['0.5', '0.8', '1', '1.2', '1.5', '2'];
const LANGUAGES = ['English', 'German', 'French', 'Spanish', 'Japanese'];
const RESOLUTIONS = ['480p', '720p', '1080p'];

const speech = (id: SpeechModel, label: string, description: string): ModelEntry => ({
	id,
	label,
	mode: 'audio',
	kind: 'speech',
	description,
	inputs: [],
	parameters: ['count', 'voice', 'speed', 'language_boost'],
	defaults: { count: 1, speed: '1' },
	choices: { speed: SPEEDS, language_boost: LANGUAGES },
	speechModel: id,
});

/**
 * The catalogue. All but the two speech ids are fiction. Specification: Conventions; GET /models.
 */
export const MODELS: readonly ModelEntry[] = [
	{
		id: 'studio/image-1',
		label: 'Studio Image 1',
		mode: 'image',
		kind: 'image',
		description: 'Images of any size, with references and a character.',
		inputs: ['reference_images', 'image_refs', 'character'],
		parameters: ['count', 'size', 'aspect_ratio', 'quality', 'resolution'],
		defaults: { count: 1, aspect_ratio: '1:1', quality: 'medium' },
		choices: { size: SIZES, aspect_ratio: RATIOS, quality: QUALITIES, resolution: RESOLUTIONS },
	},
	{
		id: 'studio/image-2',
		label: 'Studio Image 2',
		mode: 'image',
		kind: 'image',
		description: 'Finer images by aspect ratio; prompts of up to 2,000 characters.',
		inputs: ['reference_images'],
		parameters: ['count', 'aspect_ratio', 'quality', 'resolution'],
		maxPrompt: 2_000,
		defaults: { count: 1, aspect_ratio: '1:1', quality: 'high', resolution: '1080p' },
		choices: { aspect_ratio: RATIOS, quality: QUALITIES, resolution: RESOLUTIONS },
	},
	{
		id: 'studio/video-1',
		label: 'Studio Video 1',
		mode: 'video',
		kind: 'video',
		description: 'Short videos from text, frames, references or a motion to follow.',
		inputs: INPUT_SLOTS,
		parameters: ['count', 'size', 'aspect_ratio', 'quality', 'duration', 'resolution', 'loop'],
		defaults: { count: 1, aspect_ratio: '16:9', duration: '4', resolution: '480p' },
		choices: {
			aspect_ratio: RATIOS,
			quality: QUALITIES,
			duration: ['2', '4', '6', '8', '10'],
			resolution: RESOLUTIONS,
		},
	},
	{
		id: 'studio/video-2',
		label: 'Studio Video 2',
		mode: 'video',
		kind: 'video',
		description: 'Videos between a first and a last frame; prompts of up to 4,000 characters.',
		inputs: ['start_frame', 'end_frame', 'image_refs'],
		parameters: ['count', 'aspect_ratio', 'duration', 'resolution'],
		maxPrompt: 4_000,
		defaults: { count: 1, aspect_ratio: '16:9', duration: '5', resolution: '720p' },
		choices: { aspect_ratio: RATIOS, duration: ['5', '10'], resolution: ['720p', '1080p'] },
	},
	{
		id: 'studio/music-1',
		label: 'Studio Music 1',
		mode: 'audio',
		kind: 'music',
		description: 'Songs with or without lyrics.',
		inputs: ['audio_refs'],
		parameters: ['count', 'duration', 'lyrics', 'loop'],
		defaults: { count: 1, duration: '12' },
		choices: { duration: ['6', '12', '30', '60'] },
	},
	{
		id: 'studio/music-2',
		label: 'Studio Music 2',
		mode: 'audio',
		kind: 'music',
		description: 'Instrumental music.',
		inputs: [],
		parameters: ['count', 'duration'],
		maxPrompt: 4_000,
		defaults: { count: 1, duration: '20' },
		choices: { duration: ['10', '20', '30'] },
	},
	{
		id: 'studio/sfx-1',
		label: 'Studio Sound Effects 1',
		mode: 'audio',
		kind: 'sfx',
		description: 'Sound effects, also as loops; prompts of up to 1,000 characters.',
		inputs: [],
		parameters: ['count', 'duration', 'loop'],
		maxPrompt: 1_000,
		defaults: { count: 1, duration: '3', loop: false },
		choices: { duration: ['1', '3', '5', '10'] },
	},
	speech('service/speech-lite', 'Speech Lite', 'Speech metered by completed characters.'),
	speech(
		'vendor/partner/speech-2.8-turbo',
		'Speech 2.8 Turbo',
		'Expressive speech, also with custom voices.',
	),
	...['1', '2'].map((version): ModelEntry => ({
		id: `studio/agent-${version}`,
		label: `Studio Agent ${version}`,
		mode: 'agent',
		description: 'Plans and produces a piece of several steps.',
		inputs: [],
		parameters: [],
		defaults: { priority: 'balanced', direction_strategy: 'best' },
	})),
];

/** The models that the catalogue has now, in the order that is set. */
export function currentModels({ catalogueOrder, retiredModels }: Settings): ModelEntry[] {
	const models = MODELS.filter(({ id }) => !retiredModels.includes(id));
	return catalogueOrder === 'reversed' ? models.reverse() : models;
}

/** Refuses a model for new jobs that is retired; those that were made with it remain. */
export function refuseRetired({ retiredModels }: Settings, model: string): void {
	if (retiredModels.includes(model)) throw invalid('model', 'is retired');
}

const byId = new Map(MODELS.map((model) => [model.id, model]));

export function findModel(id: string): ModelEntry | undefined {
	return byId.get(id);
}

export const mostCharacters = ({ maxPrompt = LIMITS.promptLength.max }: ModelEntry) => maxPrompt;

/**
 * A model's entry in the catalogue. Open point 8: only `capabilities.voices` is shown by the
 * specification.
 */
export function formatModel(entry: ModelEntry, voices?: PresetVoice[]) {
	const { id, label, mode, kind, description, inputs, parameters, defaults, choices } = entry;
	const limits = { inputs, parameters, max_prompt_characters: mostCharacters(entry) };
	const capabilities = { ...limits, ...choices, ...(voices && { voices }) };
	return { id, object: 'model', label, mode, kind, description, capabilities, defaults };
}
