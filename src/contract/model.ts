import type { PresetVoice } from './voice';

/** What GET /models can be filtered by. Specification: Operation details, GET /models. */
export const MODEL_MODES = ['agent', 'image', 'video', 'audio'] as const;

/** One of the {@link MODEL_MODES}: a mode of generations, or `agent`. */
export type ModelMode = (typeof MODEL_MODES)[number];

/**
 * One entry of the model catalogue. Besides its id only `capabilities.voices` is shown (on audio
 * speech models); the other fields of an entry are not, so they stay open.
 * Specification: Other response bodies; Operation details, GET /models.
 */
export interface Model {
	[field: string]: unknown;
	/** What a creation takes as `model`. */
	id: string;
	capabilities?: {
		[capability: string]: unknown;
		voices?: PresetVoice[];
	};
}
