export * from './endpoints';

/**
 * All figures of the Limits table of the specification, and of the shapes of requests. Lengths are in
 * characters, counts in items, times in seconds unless the name says otherwise.
 */
export const LIMITS = {
	/** Requests per minute of a workspace, over all operations (default of a plan). */
	requestsPerMinute: 60,
	/** Media jobs of one workspace at the same time (default of a plan). */
	concurrentJobs: 5,
	/** Agent runs of one workspace in execution at the same time. */
	liveAgentRuns: 1,
	speechBlocks: { min: 1, max: 50 },
	promptLength: { min: 1, max: 10_000 },
	count: { min: 1, max: 16 },
	singleItemSlot: { max: 1 },
	agentSourceImages: { max: 12 },
	agentMaxCredits: { min: 1 },
	listLimit: { min: 1, max: 100, default: 20 },
	speechVolume: { min: 0.1, max: 10, default: 1 },
	speechSpeed: { min: 0.5, max: 2, default: 1 },
	idempotencyKeyLength: { max: 255 },
	idempotencyHours: 24,
	webhookToleranceSeconds: 300,
	voiceCloneName: { max: 80 },
	voiceClonePreviewText: { max: 500 },
	personaName: { max: 80 },
	personaDescription: { max: 800 },
	webhookEvents: { min: 1 },
} as const;

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

/**
 * Parameters that are texts and of which a model offers some values only.
 * Specification: CreateGeneration, `parameters`.
 */
export const LISTED_PARAMETERS = [
	'aspect_ratio',
	'duration',
	'language_boost',
	'quality',
	'resolution',
	'size',
	'speed',
] as const;
export type ListedParameter = (typeof LISTED_PARAMETERS)[number];

/** Specification: CreateGeneration, `parameters`. */
export interface GenerationParameters extends Partial<
	Record<ListedParameter | 'lyrics' | 'voice', string>
> {
	/** An integer from 1 to 16. */
	count?: number;
	loop?: boolean;
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
export type SpeechModel = (typeof SPEECH_MODELS)[number];

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

/** The eight kinds of events. Specification: Events. */
export const EVENTS = [
	'generation.completed',
	'generation.failed',
	'agent.review_required',
	'agent.completed',
	'agent.failed',
	'voice.created',
	'persona.ready',
	'persona.failed',
] as const;

/** One of the {@link EVENTS}; a delivery may name a kind that is newer. */
export type EventKind = (typeof EVENTS)[number];

/** Headers of every delivery. Specification: Events, signature rule 1. */
export const SIGNATURE_HEADERS = {
	/** Unix seconds, digits only. */
	timestamp: 'webhook-timestamp',
	/** `v1=<hex>`, HMAC-SHA256 over `<timestamp>.<rawBody>` with the webhook's signing secret. */
	signature: 'webhook-signature',
} as const;

/**
 * Names of fields that may hold the signing secret of a webhook, which the specification does not show (Other
 * response bodies).
 */
export const SIGNING_SECRET = /secret|whsec|signing_?key/i;

/** A JSON object whose fields are not known. */
export type Json = Record<string, unknown>;

/** Whether a value is an object but neither null nor an array. */
export const isRecord = (value: unknown): value is Json =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text that is not empty; `undefined` for everything else. */
export const textOf = (value: unknown): string | undefined =>
	typeof value === 'string' && value !== '' ? value : undefined;
