import type { Persona } from '../../contract';
import type { PersonaEntity } from '../state/entities';
import type { Service } from '../service';
import { errorFields } from './generation';

/** A persona as it goes over the wire. */
export function formatPersona(service: Service, entity: PersonaEntity): Persona {
	const { id, name, status, referenceImages } = entity;
	return {
		id,
		object: 'persona',
		name,
		status,
		preview_url: referenceImages[0] ?? null,
		reference_images: referenceImages,
		...errorFields(service, entity.problems),
	};
}
