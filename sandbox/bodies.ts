import type { EventKind, GenerationMode, GenerationStatus, SPEECH_MODELS } from '../src/contract';

/** One of the two models of POST /speech. */
export type SpeechModel = (typeof SPEECH_MODELS)[number];

/**
 * The body of every unsuccessful answer.
 * Specification: Resources and their fields, Error; Errors 1.
 * The values of `type` are not shown there, so nothing may branch on them.
 */
export interface ErrorBody {
	error: {
		type: string;
		message: string;
		request_id?: string;
		details?: unknown;
	};
}

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

/** Specification: PresetVoice. */
export interface PresetVoice {
	/** Used as `parameters.voice` or `blocks[].voice`. */
	id: string;
	label: string;
	name?: string;
	gender?: string | null;
	language_code?: string;
	language_name?: string;
	is_neural?: boolean;
	sample_url?: string | null;
	styles?: string[];
}

/** Specification: Voice, `kind`. */
export const VOICE_KINDS = ['clone', 'design'] as const;
export type VoiceKind = (typeof VOICE_KINDS)[number];

/** Specification: Voice. Creation also returns the credits charged, in a field not shown. */
export interface Voice {
	id: string;
	object: 'voice';
	name: string;
	kind: VoiceKind;
	preview_url?: string | null;
}

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

/** The structure of a plan is not shown. Specification: AgentRun. */
export type AgentPlan = Record<string, unknown>;

/**
 * Specification: AgentRun. The values of `status`, the structure of `plan` and of an output are not
 * shown.
 */
export interface AgentRun {
	id: string;
	object: 'agent_run';
	status: string;
	plan: AgentPlan;
	estimated_credits?: number;
	max_credits?: number;
	reserved_credits?: number;
	spent_credits?: number;
	/** Present when a plan was created but the requested automatic approval could not be applied. */
	auto_approval_error?: string;
	outputs?: Array<Record<string, unknown>>;
}

/** Specification: States and transitions, Persona. */
export const PERSONA_STATUSES = ['pending', 'ready', 'failed'] as const;
export type PersonaStatus = (typeof PERSONA_STATUSES)[number];

/** Specification: Persona. */
export interface Persona {
	id: string;
	object: 'persona';
	name: string;
	status: PersonaStatus;
	preview_url?: string | null;
	reference_images?: string[];
}

/**
 * A webhook as the service returns it. Fields beyond those of the creation request, and the name of
 * the one-time signing secret, are not shown. Specification: Other response bodies.
 */
export interface Webhook {
	[field: string]: unknown;
	/** The `{id}` of its paths. */
	id: string;
	url: string;
	description?: string;
	events: EventKind[];
}

/** The fields of a delivery attempt are not shown. Specification: Other response bodies. */
export type WebhookDelivery = Record<string, unknown>;
