/** The two models of POST /speech. Specification: CreateSpeechGeneration; Conventions. */
export const SPEECH_MODELS = ['service/speech-lite', 'vendor/partner/speech-2.8-turbo'] as const;
export type SpeechModel = (typeof SPEECH_MODELS)[number];

/** Specification: CreateSpeechGeneration, `settings`. */
export interface SpeechSettings {
	/** 0.1 to 10, default 1. */
	volume?: number;
	/** 0.5 to 2, default 1. */
	speed?: number;
	/** Default true. */
	loudness_normalization?: boolean;
	/** Default false. */
	text_normalization?: boolean;
	/** Default true. */
	tag_compatible?: boolean;
}

/** Specification: States and transitions, Speech generation. */
export const SPEECH_STATUSES = ['queued', 'completed', 'failed'] as const;
export type SpeechStatus = (typeof SPEECH_STATUSES)[number];

/** Specification: SpeechGeneration. */
export interface SpeechGeneration {
	id: string;
	object: 'speech_generation';
	status: SpeechStatus;
	model?: string;
	line_count?: number;
	character_count?: number;
	/** Maximum temporary reservation; unused credits are returned. */
	estimated_credits?: number;
	duration_seconds?: number | null;
	output?: null | { url: string; media_type: string; expires_at?: string };
}
