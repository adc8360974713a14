import { refuseRetired } from '../catalogue/models';
import { countCharacters, METERED_MODEL, speechPrice } from '../credits/prices';
import type { SpeechEntity } from '../entities';
import type { Handlers } from '../http/operation';
import type { Given } from '../schemas';
import { MEDIA_FORMATS } from '../storage/links';
import { drawOutput } from '../storage/references';
import type { Workspace } from '../store';
import { collection } from './collection';
import {
	announce,
	errorFields,
	newJob,
	problem,
	publish,
	recipeOf,
	schedule,
	settle,
	spendCharacters,
	statusOf,
	type JobKind,
} from './job';
import { checkVoice, soundOf } from './voices';

export const speech = {
	...collection('speech_generation', (workspace) => workspace.speech, formatSpeech),
	describe: ({ blocks }) => ({ kind: 'speech', text: blocks[0]?.text ?? '' }),
	advance: finish,
} satisfies JobKind<SpeechEntity>;

export const speechOperations = {
	createSpeech: ({ workspace, body }) => ({
		status: 202,
		body: formatSpeech(createSpeech(workspace, body), workspace),
	}),
	getSpeech: speech.get,
} satisfies Partial<Handlers>;

/** A speech generation as it goes over the wire; a signed link is created each time. */
function formatSpeech(entity: SpeechEntity, { service }: Workspace) {
	const { id, model, delivery } = entity;
	const [output] = entity.status === 'completed' ? entity.outputs : [];
	return {
		id,
		object: 'speech_generation',
		status: statusOf(entity),
		model,
		line_count: entity.blocks.length,
		character_count: entity.characters,
		estimated_credits: entity.estimatedCredits,
		duration_seconds: entity.durationSeconds,
		output: output
			? {
					media_type: MEDIA_FORMATS.speech.mediaType,
					...service.links.output({ id: output, kind: 'speech', delivery }),
				}
			: null,
		...errorFields(entity.problems),
	};
}

/** Accepts a speech generation: checks its voices, holds the most it can cost, and queues it. */
function createSpeech(workspace: Workspace, body: Given<'createSpeech'>): SpeechEntity {
	const { ids, ledger } = workspace.service;
	const { model, blocks } = body;
	refuseRetired(workspace.service.settings, model);
	blocks.forEach(({ voice }, index) => {
		// Null is the model's default, as none is.
		if (voice !== undefined && voice !== null)
			checkVoice(workspace, model, voice, `blocks[${index}].voice`);
	});
	const characters = blocks.reduce((sum, { text }) => sum + countCharacters(text), 0);
	const credits = speechPrice(model, characters);
	const id = ids.next('spc');
	ledger.reserve(workspace.id, id, credits);
	const text = blocks.map((block) => block.text).join('\n');
	const about = { pace: 'speech', text, mode: 'speech', model } as const;
	const entity: SpeechEntity = {
		...newJob(workspace, id, { table: workspace.speech, ...about }),
		...body,
		status: 'queued',
		characters,
		durationSeconds: null,
		estimatedCredits: credits,
		outputs: [ids.next('out')],
	};
	workspace.speech.put(entity);
	schedule(workspace, entity, speech);
	return entity;
}

/** The recording is made before the status changes, because its length is part of the answer. */
async function finish(workspace: Workspace, entity: SpeechEntity): Promise<void> {
	const { service } = workspace;
	const [output] = entity.outcome === 'succeed' ? entity.outputs : [];
	if (output) {
		const { id, blocks, settings = {}, delivery } = entity;
		const recipe = {
			...recipeOf(workspace, id, blocks[0]?.text ?? ''),
			blocks: blocks.map(({ text, voice }) => ({
				text,
				voice: soundOf(service, voice ?? undefined),
			})),
			speed: settings.speed,
			volume: settings.volume,
		};
		const made = publish(workspace, { id: output, kind: 'speech', delivery, recipe });
		// A recording that cannot be made is an error where it is read; the job must not hang.
		const drawn = await drawOutput(service, made).catch(service.report);
		entity.durationSeconds = drawn?.durationSeconds ?? null;
		entity.spentCredits =
			entity.model === METERED_MODEL
				? spendCharacters(workspace, entity.characters)
				: entity.estimatedCredits;
	} else {
		entity.outputs = [];
		entity.problems = [problem()];
	}
	entity.status = output ? 'completed' : 'failed';
	settle(workspace, entity, 'speech');
	workspace.speech.put(entity);
	if (!service.settings.speechEvents) return;
	const event = output ? 'generation.completed' : 'generation.failed';
	announce(workspace, entity, event, formatSpeech(entity, workspace));
}
