import type { EventKind } from '../../contract';
import type { Settings } from '../state/settings';

/**
 * Open point 11: the shape of an event's payload is not shown; the body that is signed and sent.
 */
export function eventBody(
	id: string,
	type: EventKind,
	now: number,
	resource: object,
	{ eventShape }: Settings,
): string {
	const created = new Date(now).toISOString();
	if (eventShape === 'bare') return JSON.stringify(resource);
	if (eventShape === 'flat') return JSON.stringify({ id, event: type, created, data: resource });
	return JSON.stringify({ id, object: 'event', type, created, data: { object: resource } });
}
