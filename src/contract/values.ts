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

/** The two models of POST /speech. Specification: CreateSpeechGeneration; Conventions. */
export const SPEECH_MODELS = ['service/speech-lite', 'vendor/partner/speech-2.8-turbo'] as const;

/** Specification: CreateAgentRun, `priority`. */
export const AGENT_PRIORITIES = ['quality', 'balanced', 'cost', 'speed'] as const;

/** Specification: CreateAgentRun, `direction_strategy`. */
export const DIRECTION_STRATEGIES = ['best', 'multiple'] as const;

/** Specification: Operation details, POST /agents/runs/{id}/review. */
export const REVIEW_DECISIONS = ['assemble', 'assets_only'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

/** What GET /models can be filtered by. Specification: Operation details, GET /models. */
export const MODEL_MODES = ['agent', 'image', 'video', 'audio'] as const;
export type ModelMode = (typeof MODEL_MODES)[number];
