import type { SpeechGeneration } from '../bodies';
import { countCharacters, liteReservation, METERED_MODEL, turboPrice } from '../credits/prices';
import type { SpeechEntity } from '../entities';
import { found } from '../errors';
import type { Operation } from '../http/operation';
import type { CreateSpeechGeneration } from '../schemas';
import type { Service } from '../service';
import { MEDIA_FORMATS } from '../storage/links';
import { drawOutput } from '../storage/references';
import type { Workspace } from '../store';
import { ok, errorFields, newJob, problem, publish, recipeOf, spendCharacters } from './job';
import { checkVoice, soundOf } from './voices';

export function speech(operation: Operation, service: Service): void {
	operation('createSpeech', ({ workspace, body }) => ({
		status: 202,
		body: formatSpeech(service, createSpeech(service, workspace, body)),
	}));

	operation('getSpeech', ({ workspace, id }) =>
		ok(formatSpeech(service, found(workspace.speech.get(id), 'The speech generation'))),
	);
}

/** A speech generation as it goes over the wire; a signed link is created each time. */
export function formatSpeech({ links }: Service, entity: SpeechEntity): SpeechGeneration {
	const { id, status, model, delivery } = entity;
	const [output] = status === 'completed' ? entity.outputs : [];
	return {
		id,
		object: 'speech_generation',
		status,
		model,
		line_count: entity.blocks.length,
		character_count: entity.characters,
		estimated_credits: entity.estimatedCredits,
		duration_seconds: entity.durationSeconds,
		output: output
			? {
					media_type: MEDIA_FORMATS.speech.mediaType,
					...links.output({ id: output, kind: 'speech', delivery }),
				}
			: null,
		...errorFields(entity.problems),
	};
}

/** Accepts a speech generation: checks its voices, holds the most it can cost, and queues it. */
function createSpeech(
	service: Service,
	workspace: Workspace,
	body: CreateSpeechGeneration,
): SpeechEntity {
	const { model, blocks } = body;
	blocks.forEach(({ voice }, index) => {
		if (voice !== undefined) checkVoice(service, workspace, model, voice, `blocks[${index}].voice`);
	});
	const characters = blocks.reduce((sum, { text }) => sum + countCharacters(text), 0);
	const credits = model === METERED_MODEL ? liteReservation(characters) : turboPrice(characters);
	const id = service.ids.next('spc');
	service.ledger.reserve(workspace.id, id, credits);
	const text = blocks.map((block) => block.text).join('\n');
	const subject = { workspace: workspace.id, text, mode: 'speech', model };
	const entity: SpeechEntity = {
		...newJob(service, 'speech', { id, table: workspace.speech, subject }),
		status: 'queued',
		model,
		blocks,
		settings: body.settings ?? {},
		delivery: body.delivery ?? 'public_url',
		characters,
		durationSeconds: null,
		estimatedCredits: credits,
		outputs: [service.ids.next('out')],
	};
	workspace.speech.put(entity);
	watchSpeech(service, workspace, entity);
	return entity;
}

/** Lets a queued speech generation run to its end; also after a restart. */
export function watchSpeech(service: Service, workspace: Workspace, entity: SpeechEntity): void {
	service.clock.at(entity.dueAt, () => {
		finish(service, workspace, entity).catch((fault) => service.report(fault));
	});
}

/** The recording is made before the status changes, because its length is part of the answer. */
async function finish(service: Service, workspace: Workspace, entity: SpeechEntity): Promise<void> {
	const [output] = entity.outcome === 'succeed' ? entity.outputs : [];
	if (output) {
		const { id, blocks, settings, delivery } = entity;
		const recipe = {
			...recipeOf(service, id, blocks[0]?.text ?? ''),
			blocks: blocks.map(({ text, voice }) => ({ text, voice: soundOf(service, voice) })),
			speed: settings.speed,
			volume: settings.volume,
		};
		const made = publish(service, workspace, { id: output, kind: 'speech', delivery, recipe });
		// A recording that cannot be made is an error where it is read; the job must not hang.
		const drawn = await drawOutput(service, made).catch((fault: unknown) => ({ fault }));
		if ('fault' in drawn) service.report(drawn.fault);
		else entity.durationSeconds = drawn.durationSeconds ?? null;
		entity.spentCredits =
			entity.model === METERED_MODEL
				? spendCharacters(workspace, entity.characters)
				: entity.estimatedCredits;
	} else {
		entity.outputs = [];
		entity.problems = [problem()];
	}
	service.ledger.settle(workspace.id, entity.id, entity.spentCredits);
	service.usage.add(workspace.id, 'speech', entity.spentCredits, entity.outputs.length);
	entity.status = output ? 'completed' : 'failed';
	entity.settledAt = service.clock.now();
	workspace.speech.put(entity);
	if (!service.settings.speechEvents) return;
	const event = output ? 'generation.completed' : 'generation.failed';
	service.dispatcher.emit(workspace, event, () => formatSpeech(service, entity));
}
