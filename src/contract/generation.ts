/** Specification: CreateGeneration, `mode`. */
export const GENERATION_MODES = ['image', 'video', 'audio'] as const;
export type GenerationMode = (typeof GENERATION_MODES)[number];

/** Specification: CreateGeneration and CreateSpeechGeneration, `delivery`. */
export const DELIVERIES = ['public_url', 'signed_url'] as const;
export type Delivery = (typeof DELIVERIES)[number];

/** Slots without a stated item cap. Specification: CreateGeneration, `input`. */
export const MULTI_ITEM_SLOTS = [
	'reference_images',
	'image_refs',
	'video_refs',
	'audio_refs',
] as const;

/** Slots of at most one item. Specification: CreateGeneration, `input`; Limits. */
export const SINGLE_ITEM_SLOTS = [
	'start_frame',
	'end_frame',
	'video',
	'character',
	'motion_video',
] as const;

/** All nine slots. Specification: CreateGeneration, `input`. */
export const INPUT_SLOTS = [...MULTI_ITEM_SLOTS, ...SINGLE_ITEM_SLOTS] as const;
export type InputSlot = (typeof INPUT_SLOTS)[number];

/** Enumerated settings are strings. Specification: CreateGeneration, `parameters`. */
export interface GenerationParameters {
	/** 1 to 16. */
	count?: number;
	size?: string;
	aspect_ratio?: string;
	quality?: string;
	duration?: string;
	resolution?: string;
	voice?: string;
	speed?: string;
	loop?: boolean;
	lyrics?: string;
	language_boost?: string;
}

/** Specification: States and transitions, Generation. */
export const GENERATION_STATUSES = [
	'queued',
	'completed',
	'partially_completed',
	'failed',
] as const;
export type GenerationStatus = (typeof GENERATION_STATUSES)[number];

/** Specification: Generation, `outputs`. */
export interface GenerationOutput {
	id: string;
	url: string;
	media_type: string;
	/** Date-time, present for signed URLs. */
	expires_at?: string;
}

/**
 * Specification: Generation. The field with the errors of a failed or partially completed
 * generation is not shown.
 */
export interface Generation {
	id: string;
	object: 'generation';
	status: GenerationStatus;
	mode: GenerationMode;
	model: string;
	output_ids?: string[];
	outputs?: GenerationOutput[];
	/** Credits reserved while the generation runs. */
	estimated_credits?: number;
}
