import type { CreateSpeechGeneration } from '../../contract';
import type { SpeechEntity } from '../state/entities';
import { formatSpeech } from '../formatters/speech';
import { countCharacters, turboPrice } from '../credits/prices';
import type { Service } from '../service';
import type { Workspace } from '../state/store';
import { reserve } from './credits';
import { dueAt, outcomeOf, problem } from './outcome';
import { checkConcurrency } from './generationChecks';
import { liteReservation, METERED_MODEL, meterLite } from '../credits/meter';
import { newOutput, publish } from './publish';
import { speechMedia } from './rendering';
import { checkVoice } from './voices';

/** Accepts a speech generation: checks its voices, holds the most it can cost, and queues it. */
export function createSpeech(
	service: Service,
	workspace: Workspace,
	body: CreateSpeechGeneration,
): SpeechEntity {
	const { model, blocks } = body;
	blocks.forEach(({ voice }, index) => {
		if (voice === undefined) return;
		checkVoice(service, workspace, model, voice, `blocks[${index}].voice`);
	});
	if (service.settings.speechCounts) checkConcurrency(service, workspace);
	const characters = blocks.reduce((sum, { text }) => sum + countCharacters(text), 0);
	const credits = model === METERED_MODEL ? liteReservation(characters) : turboPrice(characters);
	const id = service.ids.next('spc');
	reserve(service, workspace, id, credits);
	const text = blocks.map((block) => block.text).join('\n');
	const entity: SpeechEntity = {
		id,
		workspace: workspace.id,
		createdAt: workspace.speech.stamp(service.clock.now()),
		dueAt: dueAt(service, 'speech', id),
		settledAt: null,
		status: 'queued',
		model,
		blocks,
		settings: body.settings ?? {},
		delivery: body.delivery ?? 'public_url',
		characters,
		durationSeconds: null,
		output: newOutput(service, 'speech', 0),
		estimatedCredits: credits,
		spentCredits: 0,
		outcome: outcomeOf(service, { workspace: workspace.id, text, mode: 'speech', model }),
		problems: [],
	};
	workspace.speech.put(entity);
	watchSpeech(service, workspace, entity);
	return entity;
}

/** Lets a queued speech generation run to its end; also after a restart. */
export function watchSpeech(service: Service, workspace: Workspace, entity: SpeechEntity): void {
	if (service.settings.speechCounts) workspace.running.add(entity.id);
	service.clock.at(entity.dueAt, () => {
		finish(service, workspace, entity).catch((fault) => service.report(fault));
	});
}

/** The recording is made before the status changes, because its length is part of the answer. */
async function finish(service: Service, workspace: Workspace, entity: SpeechEntity): Promise<void> {
	const output = entity.output!;
	const good = entity.outcome === 'succeed';
	if (good) {
		const request = async () => await Promise.resolve(speechMedia(service, entity));
		const drawn = await service.library.output(output.id, request);
		entity.durationSeconds = drawn.durationSeconds ?? null;
	} else {
		entity.output = null;
		entity.problems = [problem()];
	}
	entity.spentCredits = good ? meter(workspace, entity) : 0;
	service.ledger.settle(workspace.id, entity.id, entity.spentCredits);
	service.usage.add(workspace.id, 'speech', entity.spentCredits, good ? 1 : 0);
	entity.status = good ? 'completed' : 'failed';
	entity.settledAt = service.clock.now();
	if (good) publishSpoken(service, workspace, entity);
	workspace.running.delete(entity.id);
	workspace.speech.put(entity);
	if (!service.settings.speechEvents) return;
	const event = good ? 'generation.completed' : 'generation.failed';
	service.emit(workspace, event, () => formatSpeech(service, entity));
}

/** Gives the recording its address; also after a restart. */
export function publishSpoken(service: Service, workspace: Workspace, entity: SpeechEntity): void {
	const madeAt = entity.settledAt ?? service.clock.now();
	publish(service, workspace, entity.output!, entity.delivery, madeAt, async () => {
		return await Promise.resolve(speechMedia(service, entity));
	});
}

function meter(workspace: Workspace, entity: SpeechEntity): number {
	if (entity.model !== METERED_MODEL) return entity.estimatedCredits;
	const { credits, carry } = meterLite(workspace.entity.liteCarry, entity.characters);
	workspace.entity.liteCarry = carry;
	workspace.save();
	return credits;
}
