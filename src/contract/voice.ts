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
