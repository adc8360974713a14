/* eslint-disable @n8n/community-nodes/require-node-api-error -- not published */
import type { Persona } from '../bodies';
import { PRICES } from '../credits/prices';
import type { PersonaEntity } from '../entities';
import { ApiError, found, invalid } from '../errors';
import type { Operation } from '../http/operation';
import type { CreatePersona } from '../schemas';
import type { Service } from '../service';
import { checkReference } from '../storage/references';
import type { Workspace } from '../store';
import {
	ok,
	deleted,
	errorFields,
	listAll,
	newJob,
	problem,
	publicUrl,
	publish,
	recipeOf,
} from './job';

export function personas(operation: Operation, service: Service): void {
	const find = (workspace: Workspace, id: string) =>
		found(workspace.personas.get(id), 'The persona');

	operation('createPersona', ({ workspace, body }) => ({
		status: body.source === 'upload' ? 201 : 202,
		body: formatPersona(createPersona(service, workspace, body)),
	}));

	operation('listPersonas', ({ workspace, query }) =>
		ok(listAll(service, workspace.personas, query, formatPersona)),
	);

	operation('getPersona', ({ workspace, id }) => ok(formatPersona(find(workspace, id))));

	operation('updatePersona', ({ workspace, id, body }) => {
		const entity = find(workspace, id);
		entity.name = body.name ?? entity.name;
		entity.shared = body.shared ?? entity.shared;
		return ok(formatPersona(workspace.personas.put(entity)));
	});

	operation('deletePersona', ({ workspace, id }) => {
		find(workspace, id);
		workspace.personas.delete(id);
		return deleted('persona', id);
	});
}

/** A persona as it goes over the wire. */
export function formatPersona(entity: PersonaEntity): Persona {
	const { id, name, status, referenceImages } = entity;
	return {
		id,
		object: 'persona',
		name,
		status,
		preview_url: referenceImages[0] ?? null,
		reference_images: referenceImages,
		...errorFields(entity.problems),
	};
}

/** Makes a persona: of images at once, of a description by a job that draws a portrait. */
function createPersona(service: Service, workspace: Workspace, body: CreatePersona): PersonaEntity {
	const described = body.source === 'describe';
	const images = described ? [] : body.reference_images;
	if (!described) checkImages(service, workspace, images);
	const id = service.ids.uuid();
	const text = described ? body.description : undefined;
	const subject = { workspace: workspace.id, text, mode: 'persona' };
	const entity: PersonaEntity = {
		...newJob(service, 'persona', { id, table: workspace.personas, subject }),
		name: body.name,
		status: described ? 'pending' : 'ready',
		description: text ?? '',
		shared: body.shared ?? true,
		referenceImages: images,
	};
	if (described) hold(service, workspace, entity);
	else entity.settledAt = service.clock.now();
	workspace.personas.put(entity);
	if (described) watchPersona(service, workspace, entity);
	return entity;
}

/** The table shows no 402 for POST /personas: a persona without credits fails. */
function hold({ ledger }: Service, { id }: Workspace, entity: PersonaEntity): void {
	try {
		ledger.reserve(id, entity.id, PRICES.personaPortrait);
		entity.estimatedCredits = PRICES.personaPortrait;
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		entity.outcome = 'fail';
	}
}

/** Lets a pending persona come to its end; also after a restart. */
export function watchPersona(service: Service, workspace: Workspace, entity: PersonaEntity): void {
	service.clock.at(entity.dueAt, () => settle(service, workspace, entity));
}

function settle(service: Service, workspace: Workspace, entity: PersonaEntity): void {
	const good = entity.outcome === 'succeed';
	entity.spentCredits = good ? entity.estimatedCredits : 0;
	if (entity.estimatedCredits > 0) {
		service.ledger.settle(workspace.id, entity.id, entity.spentCredits);
	}
	service.usage.add(workspace.id, 'persona', entity.spentCredits, good ? 1 : 0);
	entity.problems = good ? [] : [problem()];
	entity.status = good ? 'ready' : 'failed';
	entity.settledAt = service.clock.now();
	if (good) {
		const id = service.ids.next('out');
		const recipe = { ...recipeOf(service, entity.id, entity.description), size: '768x768' };
		publish(service, workspace, { id, kind: 'image', recipe });
		entity.outputs = [id];
		entity.referenceImages = [publicUrl(service, id, 'image')];
	}
	// Deleted while it was made: paid for, but there is nothing to announce.
	if (!workspace.personas.get(entity.id)) return;
	workspace.personas.put(entity);
	service.dispatcher.emit(workspace, good ? 'persona.ready' : 'persona.failed', () =>
		formatPersona(entity),
	);
}

/** Open point 6: the formal schema and the guide differ. */
const IMAGES = { schema: { min: 1, max: 5 }, guide: { min: 3, max: 10 } } as const;

function checkImages(service: Service, workspace: Workspace, images: string[]): void {
	const { min, max } = IMAGES[service.settings.personaImages];
	if (images.length < min || images.length > max) {
		throw invalid('reference_images', `must be ${min} to ${max} images`);
	}
	images.forEach((address, index) =>
		checkReference(service, workspace, address, `reference_images[${index}]`),
	);
}
