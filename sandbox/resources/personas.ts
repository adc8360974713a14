/* eslint-disable @n8n/community-nodes/require-node-api-error -- not published */
import { PRICES } from '../credits/prices';
import type { PersonaEntity } from '../entities';
import { ApiError, invalid } from '../errors';
import type { Handlers } from '../http/operation';
import type { Given } from '../schemas';
import { checkReferences } from '../storage/references';
import type { Workspace } from '../store';
import { collection, ok } from './collection';
import {
	announce,
	errorFields,
	newJob,
	problem,
	publicUrl,
	publish,
	recipeOf,
	schedule,
	settle,
	statusOf,
	type JobKind,
} from './job';

export const personas = {
	...collection('persona', (workspace) => workspace.personas, formatPersona),
	describe: ({ name }) => ({ kind: 'persona', text: name }),
	advance: finish,
} satisfies JobKind<PersonaEntity>;

export const personaOperations = {
	createPersona: ({ workspace, body }) => ({
		status: body.source === 'upload' ? 201 : 202,
		body: formatPersona(createPersona(workspace, body)),
	}),
	listPersonas: personas.list,
	getPersona: personas.get,
	updatePersona({ workspace, id, body }) {
		const entity = personas.find({ workspace, id });
		entity.name = body.name ?? entity.name;
		entity.shared = body.shared ?? entity.shared;
		return ok(formatPersona(workspace.personas.put(entity)));
	},
	deletePersona({ workspace, id }) {
		const answer = personas.remove({ workspace, id });
		// What one that is still being made has reserved.
		workspace.service.ledger.settle(workspace.id, id, 0);
		return answer;
	},
} satisfies Partial<Handlers>;

/** A persona as it goes over the wire. */
function formatPersona(entity: PersonaEntity) {
	const { id, name, referenceImages, problems } = entity;
	return {
		id,
		object: 'persona',
		name,
		status: statusOf(entity),
		preview_url: referenceImages[0] ?? null,
		reference_images: referenceImages,
		...errorFields(problems),
	};
}

/** Makes a persona: of images at once, of a description by a job that draws a portrait. */
function createPersona(workspace: Workspace, body: Given<'createPersona'>): PersonaEntity {
	const { ids, clock } = workspace.service;
	const described = body.source === 'describe';
	const images = described ? [] : body.reference_images;
	if (!described) checkImages(workspace, images);
	const id = ids.uuid();
	const text = described ? body.description : undefined;
	const about = { pace: 'persona', text, mode: 'persona' } as const;
	const entity: PersonaEntity = {
		...newJob(workspace, id, { table: workspace.personas, ...about }),
		name: body.name,
		status: described ? 'pending' : 'ready',
		description: text ?? '',
		shared: body.shared ?? true,
		referenceImages: images,
	};
	if (described) hold(workspace, entity);
	else entity.settledAt = clock.now();
	workspace.personas.put(entity);
	schedule(workspace, entity, personas);
	return entity;
}

/** The table shows no 402 for POST /personas: a persona without credits fails. */
function hold({ id, service }: Workspace, entity: PersonaEntity): void {
	try {
		service.ledger.reserve(id, entity.id, PRICES.personaPortrait);
		entity.estimatedCredits = PRICES.personaPortrait;
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		entity.outcome = 'fail';
		entity.refusal = { type: error.type, message: error.message };
	}
}

/** Ends a pending persona, unless it was deleted. */
function finish(workspace: Workspace, entity: PersonaEntity): void {
	if (!workspace.personas.get(entity.id)) return;
	const { ids } = workspace.service;
	const good = entity.outcome === 'succeed';
	if (good) {
		const id = ids.next('out');
		const recipe = { ...recipeOf(workspace, entity.id, entity.description), size: '768x768' };
		publish(workspace, { id, kind: 'image', recipe });
		entity.outputs = [id];
		entity.referenceImages = [publicUrl(workspace, id, 'image')];
		entity.spentCredits = entity.estimatedCredits;
	}
	entity.problems = good ? [] : [entity.refusal ?? problem()];
	entity.status = good ? 'ready' : 'failed';
	settle(workspace, entity, 'persona');
	workspace.personas.put(entity);
	const event = good ? 'persona.ready' : 'persona.failed';
	announce(workspace, entity, event, formatPersona(entity));
}

/** Open point 6: the formal schema and the guide differ. */
const IMAGES = { schema: { min: 1, max: 5 }, guide: { min: 3, max: 10 } } as const;

function checkImages(workspace: Workspace, images: string[]): void {
	const { min, max } = IMAGES[workspace.service.settings.personaImages];
	if (images.length < min || images.length > max) {
		throw invalid('reference_images', `must be ${min} to ${max} images`);
	}
	checkReferences(workspace, images, 'reference_images');
}
