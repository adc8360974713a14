import type { SpeechModel } from './speech';

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

/** Query of GET /voices/catalog. Specification: Operation details. */
export interface VoiceCatalogQuery {
	/** Default `service/speech-lite`. */
	model?: SpeechModel;
	/** Case-insensitive locale or base language. */
	language?: string;
	gender?: string;
	/** Case-insensitive match on voice id or name. */
	search?: string;
}

/** Specification: Voice, `kind`. */
export const VOICE_KINDS = ['clone', 'design'] as const;
export type VoiceKind = (typeof VOICE_KINDS)[number];

/** Specification: CreateVoice, clone. */
export interface CloneVoice {
	kind: 'clone';
	/** At most 80 characters. */
	name: string;
	/** A reachable public HTTPS recording, or a file uploaded through POST /files. */
	audio_url: string;
	/** At most 500 characters. */
	preview_text?: string;
	/** Default false. */
	noise_reduction?: boolean;
	/** Default false. */
	volume_normalization?: boolean;
}

/** Specification: CreateVoice, design. Length limits are not shown. */
export interface DesignVoice {
	kind: 'design';
	name: string;
	description: string;
	preview_text?: string;
}

/** Body of POST /voices. */
export type CreateVoice = CloneVoice | DesignVoice;

/** Body of PATCH /voices/{id}. */
export interface RenameVoice {
	name: string;
}

/** Specification: Voice. Creation also returns the credits charged, in a field not shown. */
export interface Voice {
	id: string;
	object: 'voice';
	name: string;
	kind: VoiceKind;
	preview_url?: string | null;
}
