/* eslint-disable @n8n/community-nodes/require-node-api-error -- not published */
import type { CreatePersona } from '../../contract';
import type { PersonaEntity } from '../state/entities';
import { formatPersona } from '../formatters/persona';
import { invalid } from '../errors';
import { InsufficientCredits } from '../credits/ledger';
import { PRICES } from '../credits/prices';
import type { Service } from '../service';
import { checkReference } from '../storage/references';
import type { Workspace } from '../state/store';
import { reserve } from './credits';
import { dueAt, outcomeOf, problem } from './outcome';
import { newOutput, publicUrl, publish } from './publish';

/** Open point 6: the formal schema and the guide differ. */
const IMAGES = { schema: { min: 1, max: 5 }, guide: { min: 3, max: 10 } } as const;

/** Makes a persona: of images at once, of a description by a job that draws a portrait. */
export function createPersona(
	service: Service,
	workspace: Workspace,
	body: CreatePersona,
): PersonaEntity {
	const described = body.source === 'describe';
	const images = described ? [] : body.reference_images;
	if (!described) checkImages(service, workspace, images);
	const id = service.ids.uuid();
	const text = described ? body.description : body.name;
	const entity: PersonaEntity = {
		id,
		workspace: workspace.id,
		createdAt: workspace.personas.stamp(service.clock.now()),
		dueAt: dueAt(service, 'persona', id),
		settledAt: described ? null : service.clock.now(),
		name: body.name,
		source: body.source,
		status: described ? 'pending' : 'ready',
		description: described ? body.description : '',
		shared: body.shared ?? true,
		referenceImages: images,
		portrait: null,
		estimatedCredits: 0,
		spentCredits: 0,
		outcome: described
			? outcomeOf(service, { workspace: workspace.id, text, mode: 'persona' })
			: 'succeed',
		problems: [],
	};
	if (described) hold(service, workspace, entity);
	workspace.personas.put(entity);
	if (described) watchPersona(service, workspace, entity);
	return entity;
}

/** Lets a pending persona come to its end; also after a restart. */
export function watchPersona(service: Service, workspace: Workspace, entity: PersonaEntity): void {
	service.clock.at(entity.dueAt, () => settle(service, workspace, entity));
}

/** Gives a described persona's portrait its address; also after a restart. */
export function publishPortrait(
	service: Service,
	workspace: Workspace,
	{ id, portrait, description, settledAt }: PersonaEntity,
): void {
	if (!portrait) return;
	const seed = service.random.integer(`media:${id}`);
	const request = { kind: 'image', prompt: description, seed, index: 0, size: '768x768' } as const;
	publish(service, workspace, portrait, 'public_url', settledAt ?? 0, async () => {
		return await Promise.resolve(request);
	});
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
		entity.portrait = newOutput(service, 'image', 0);
		entity.referenceImages = [publicUrl(service, entity.portrait)];
		publishPortrait(service, workspace, entity);
	}
	// Deleted while it was made: paid for, but there is nothing to announce.
	if (!workspace.personas.get(entity.id)) return;
	workspace.personas.put(entity);
	const event = good ? 'persona.ready' : 'persona.failed';
	service.emit(workspace, event, () => formatPersona(service, entity));
}

/** The table shows no 402 for POST /personas: by default a persona without credits fails. */
function hold(service: Service, workspace: Workspace, entity: PersonaEntity): void {
	const credits = PRICES.personaPortrait;
	if (service.settings.personaWithoutCredits === '402') {
		reserve(service, workspace, entity.id, credits);
	} else {
		try {
			service.ledger.reserve(workspace.id, entity.id, credits);
		} catch (error) {
			if (!(error instanceof InsufficientCredits)) throw error;
			entity.outcome = 'fail';
			return;
		}
	}
	entity.estimatedCredits = credits;
}

function checkImages(service: Service, workspace: Workspace, images: string[]): void {
	const { min, max } = IMAGES[service.settings.personaImages];
	if (images.length < min || images.length > max) {
		throw invalid('reference_images', `must be ${min} to ${max} images`);
	}
	images.forEach((address, index) =>
		checkReference(service, workspace, address, `reference_images[${index}]`),
	);
}
