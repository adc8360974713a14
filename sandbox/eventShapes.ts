import type { EventKind } from '../src/api';

export interface EventResource {
	id: string;
	object: string;
}

/** What every payload is made of. */
interface Told {
	/** Of the event. */
	id: string;
	kind: EventKind;
	created: string;
	resource: EventResource;
}

const nested = ({ id, kind, created, resource }: Told) => ({
	id,
	object: 'event',
	type: kind,
	created,
	data: { object: resource },
});

/** Open point 11: the shape of an event's payload is not shown. The usual one comes first. */
const SHAPES = {
	nested,
	flat: ({ id, kind, created, resource }) => ({ id, event: kind, created, data: resource }),
	bare: ({ resource }) => resource,
	/** The resource has a `type` of its own. */
	typed: ({ id, kind, created, resource }) => ({
		id,
		event: kind,
		created,
		data: { ...resource, type: resource.object },
	}),
	resource: ({ id, kind, created, resource }) => ({ id, type: kind, created, resource }),
	data_job: ({ id, kind, created, resource }) => ({
		id,
		type: kind,
		created,
		data: { job: resource },
	}),
	/** Only the id of the resource. */
	data_job_id: ({ id, kind, created, resource }) => ({
		id,
		type: kind,
		created,
		data: { job_id: resource.id },
	}),
	/** A resource as in JSON:API. */
	json_api: ({ id, kind, created, resource: { id: resourceId, object, ...attributes } }) => ({
		id,
		event: kind,
		created,
		data: { type: object, id: resourceId, attributes },
	}),
	data_list: ({ id, kind, created, resource }) => ({ id, type: kind, created, data: [resource] }),
	/** A list of one event. */
	list: (told) => [nested(told)],
} satisfies Record<string, (told: Told) => object>;

type EventShape = keyof typeof SHAPES;

export const EVENT_SHAPES = Object.keys(SHAPES) as EventShape[];

/** What is signed and sent for an event. */
export const eventBody = (shape: EventShape, told: Told): string =>
	JSON.stringify(SHAPES[shape](told));
