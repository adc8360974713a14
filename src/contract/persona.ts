/**
 * Specification: CreatePersona, upload. The formal schema bounds the images at 1 to 5, the guide
 * states 3 to 10; which bound is enforced is not shown.
 */
export interface UploadPersona {
	source: 'upload';
	/** At most 80 characters. */
	name: string;
	reference_images: string[];
	/** Default true. */
	shared?: boolean;
}

/** Specification: CreatePersona, describe. */
export interface DescribePersona {
	source: 'describe';
	/** At most 80 characters. */
	name: string;
	/** At most 800 characters. */
	description: string;
	/** Default true. */
	shared?: boolean;
}

/** Body of POST /personas. */
export type CreatePersona = UploadPersona | DescribePersona;

/** Body of PATCH /personas/{id}. */
export interface UpdatePersona {
	name?: string;
	shared?: boolean;
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
