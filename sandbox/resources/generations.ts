import type { GenerationParameters, InputSlot } from '../../src/api';
import {
	findModel,
	mostCharacters,
	refuseRetired,
	type ModelEntry,
	type ParameterName,
} from '../catalogue/models';
import {
	countCharacters,
	METERED_MODEL,
	outputPrice,
	readSeconds,
	type Effective,
} from '../credits/prices';
import type { GenerationEntity, Recipe } from '../entities';
import { ApiError, invalid } from '../errors';
import type { Handlers } from '../http/operation';
import type { Given } from '../schemas';
import { MEDIA_FORMATS } from '../storage/links';
import { checkReferences } from '../storage/references';
import type { Workspace } from '../store';
import { collection, listOf } from './collection';
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

export const generations = {
	...collection('generation', (workspace) => workspace.generations, formatGeneration),
	describe: ({ kind, prompt }) => ({ kind, text: prompt }),
	advance: finish,
} satisfies JobKind<GenerationEntity>;

export const generationOperations = {
	createGeneration: ({ workspace, body }) => ({
		status: 202,
		body: formatGeneration(createGeneration(workspace, body), workspace),
	}),
	listGenerations({ workspace, query }) {
		const format = (entity: GenerationEntity) => formatGeneration(entity, workspace);
		return listOf(workspace, workspace.generations, query, format, true);
	},
	getGeneration: generations.get,
} satisfies Partial<Handlers>;

/** How many generations of a workspace run now. */
export const runningGenerations = (workspace: Workspace) =>
	workspace.generations.all().filter(({ status }) => status === 'queued').length;

/** A generation as it goes over the wire; signed links are created each time. */
function formatGeneration(entity: GenerationEntity, { service }: Workspace) {
	const { id, mode, model, kind, delivery, estimatedCredits, outputs } = entity;
	const base = { id, object: 'generation', status: statusOf(entity), mode, model };
	if (entity.status === 'queued') return { ...base, estimated_credits: estimatedCredits };
	return {
		...base,
		output_ids: outputs,
		outputs: outputs.map((output) => ({
			id: output,
			media_type: MEDIA_FORMATS[kind].mediaType,
			...service.links.output({ id: output, kind, delivery }),
		})),
		estimated_credits: estimatedCredits,
		...errorFields(entity.problems),
	};
}

/**
 * Accepts a generation: checks it, reserves its credits and queues it. Nothing is kept on a
 * refusal.
 */
function createGeneration(workspace: Workspace, body: Given<'createGeneration'>): GenerationEntity {
	const { ids, settings, clock, ledger } = workspace.service;
	const { model, parameters } = check(workspace, body);
	if (runningGenerations(workspace) >= settings.concurrentJobs) {
		const message = `This workspace has ${settings.concurrentJobs} media jobs running.`;
		throw new ApiError(429, 'concurrency_limit', message, undefined, clock.milliseconds(5));
	}
	const id = ids.next('gen');
	const count = Number(parameters.count ?? 1);
	const credits = outputPrice(model, parameters, body.prompt) * count;
	ledger.reserve(workspace.id, id, credits);
	const kind = model.kind ?? 'image';
	const about = { pace: kind, text: body.prompt, mode: body.mode, model: body.model };
	const entity: GenerationEntity = {
		...newJob(workspace, id, { table: workspace.generations, ...about }),
		...body,
		status: 'queued',
		kind,
		estimatedCredits: credits,
		outputs: Array.from({ length: count }, () => ids.next('out')),
	};
	workspace.generations.put(entity);
	schedule(workspace, entity, generations);
	return entity;
}

/** Lets a queued generation come to its end. */
function finish(workspace: Workspace, entity: GenerationEntity): void {
	const { outputs: all, outcome, kind, delivery } = entity;
	const good = { succeed: all, partial: all.slice(0, -1), fail: [] }[outcome];
	for (const [index, id] of good.entries()) {
		publish(workspace, { id, kind, delivery, recipe: recipeFor(workspace, entity, index) });
	}
	entity.problems = all.slice(good.length).map(problem);
	entity.outputs = good;
	entity.spentCredits = spentCredits(workspace, entity, all.length);
	const unlessAll = good.length > 0 ? 'partially_completed' : 'failed';
	entity.status = good.length === all.length ? 'completed' : unlessAll;
	settle(workspace, entity, entity.mode);
	workspace.generations.put(entity);
	const event = good.length > 0 ? 'generation.completed' : 'generation.failed';
	announce(workspace, entity, event, formatGeneration(entity, workspace));
}

/** Only completed outputs are paid for. */
function spentCredits(workspace: Workspace, entity: GenerationEntity, count: number): number {
	const { length } = entity.outputs;
	if (entity.model !== METERED_MODEL) return (entity.estimatedCredits / count) * length;
	return spendCharacters(workspace, countCharacters(entity.prompt) * length);
}

/** What one output of a generation looks or sounds like. */
function recipeFor(
	workspace: Workspace,
	{ id, prompt, model, input = {}, persona_id, ...entity }: GenerationEntity,
	index: number,
): Recipe {
	const given: Effective = { ...findModel(model)?.defaults, ...entity.parameters };
	const text = (name: ParameterName) =>
		given[name] === undefined ? undefined : String(given[name]);
	const persona = workspace.personas.get(persona_id ?? '');
	return {
		...recipeOf(workspace, id, prompt, index),
		size: text('size'),
		aspectRatio: text('aspect_ratio'),
		resolution: text('resolution'),
		durationSeconds: given.duration === undefined ? undefined : readSeconds(given.duration, 4),
		speed: readSeconds(given.speed, 1),
		voice: soundOf(workspace.service, text('voice')),
		references: [...Object.values(input).flat(), ...(persona?.referenceImages ?? [])],
	};
}

/** Everything that can be wrong with a generation besides its shape. 400 names the field. */
function check(
	workspace: Workspace,
	body: Given<'createGeneration'>,
): { model: ModelEntry; parameters: Effective } {
	refuseRetired(workspace.service.settings, body.model);
	const model = findModel(body.model);
	if (!model || model.mode === 'agent') throw invalid('model', 'is not a model of the catalogue');
	if (model.mode !== body.mode) throw invalid('model', `makes ${model.mode}, not ${body.mode}`);
	const most = mostCharacters(model);
	if (countCharacters(body.prompt) > most) {
		throw invalid('prompt', `must be at most ${most} characters for ${model.id}`);
	}
	const strict = workspace.service.settings.modelChecks;
	if (strict) checkParameters(model, body.parameters ?? {});
	checkPersona(workspace, body);
	for (const [slot, addresses] of Object.entries(body.input ?? {}) as Array<
		[InputSlot, string[]]
	>) {
		if (strict && addresses.length > 0 && !model.inputs.includes(slot)) {
			throw invalid(`input.${slot}`, `is not taken by the model ${model.id}`);
		}
		checkReferences(workspace, addresses, `input.${slot}`);
	}
	const parameters: Effective = { ...model.defaults, ...body.parameters };
	if (model.speechModel && typeof parameters.voice === 'string') {
		checkVoice(workspace, model.speechModel, parameters.voice, 'parameters.voice');
	}
	return { model, parameters };
}

function checkPersona(
	workspace: Workspace,
	{ persona_id: id, mode }: Given<'createGeneration'>,
): void {
	if (id === undefined) return;
	if (mode === 'audio') throw invalid('persona_id', 'is taken by images and videos only');
	const persona = workspace.personas.get(id);
	if (!persona) throw invalid('persona_id', 'is not a persona of this workspace');
	if (persona.status !== 'ready') throw invalid('persona_id', `is ${persona.status}, not ready`);
}

const number = (low: number, high: number) => (value: string) =>
	/^\d+(\.\d+)?s?$/.test(value) && parseFloat(value) >= low && parseFloat(value) <= high;

/** What the enumerated settings, which are strings, must look like; fiction of the sandbox. */
const FORMS: Partial<Record<ParameterName, [good: (value: string) => boolean, hint: string]>> = {
	size: [
		(value) => /^\d{2,4}x\d{2,4}$/.test(value) && value.split('x').every(number(16, 4096)),
		'must be WIDTHxHEIGHT with sides of 16 to 4096 pixels',
	],
	aspect_ratio: [(value) => /^[1-9]\d?:[1-9]\d?$/.test(value), 'must be a ratio such as 16:9'],
	resolution: [
		(value) => /^(\d{3,4}p|[124][kK])$/.test(value),
		'must be a resolution such as 720p or 2K',
	],
	duration: [number(0.5, 300), 'must be seconds from 0.5 to 300, such as 5 or 5s'],
	speed: [number(0.5, 2), 'must be a number from 0.5 to 2'],
};

/** Refuses parameters that the model does not offer or cannot read. */
function checkParameters(model: ModelEntry, given: GenerationParameters): void {
	for (const [name, value] of Object.entries(given) as Array<[ParameterName, unknown]>) {
		if (value === undefined) continue;
		const field = `parameters.${name}`;
		if (!model.parameters.includes(name)) {
			throw invalid(field, `is not offered by the model ${model.id}`);
		}
		const [good, hint] = FORMS[name] ?? [];
		if (good && !good(String(value))) throw invalid(field, hint ?? 'is wrong');
	}
}
