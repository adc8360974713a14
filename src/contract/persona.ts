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
