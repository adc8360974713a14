import type { CreateGeneration, InputSlot } from '../../contract';
import { findModel, type ModelEntry } from '../catalogue/models';
import { ApiError, invalid } from '../errors';
import { countCharacters, type Effective } from '../credits/prices';
import type { Service } from '../service';
import { checkReference } from '../storage/references';
import type { Workspace } from '../state/store';
import { effectiveParameters } from './parameters';
import { checkVoice } from './voices';

/** Everything that can be wrong with a generation besides its shape. 400 names the field. */
export function checkGeneration(
	service: Service,
	workspace: Workspace,
	body: CreateGeneration,
): { model: ModelEntry; parameters: Effective } {
	const model = checkModel(body);
	const strict = service.settings.modelChecks;
	const parameters = effectiveParameters(model, body.parameters ?? {}, strict);
	checkPersona(workspace, body);
	checkInputs(service, workspace, model, body);
	if (model.speechModel && typeof parameters.voice === 'string') {
		checkVoice(service, workspace, model.speechModel, parameters.voice, 'parameters.voice');
	}
	return { model, parameters };
}

function checkModel({ model: id, mode, prompt }: CreateGeneration): ModelEntry {
	const model = findModel(id);
	if (!model || model.mode === 'agent') throw invalid('model', 'is not a model of the catalogue');
	if (model.mode !== mode) throw invalid('model', `makes ${model.mode}, not ${mode}`);
	if (countCharacters(prompt) > model.maxPrompt) {
		throw invalid('prompt', `must be at most ${model.maxPrompt} characters for ${model.id}`);
	}
	return model;
}

function checkPersona(workspace: Workspace, { persona_id: id, mode }: CreateGeneration): void {
	if (id === undefined) return;
	if (mode === 'audio') throw invalid('persona_id', 'is taken by images and videos only');
	const persona = workspace.personas.get(id);
	if (!persona) throw invalid('persona_id', 'is not a persona of this workspace');
	if (persona.status !== 'ready') throw invalid('persona_id', `is ${persona.status}, not ready`);
}

function checkInputs(
	service: Service,
	workspace: Workspace,
	model: ModelEntry,
	{ input = {} }: CreateGeneration,
): void {
	for (const [slot, addresses] of Object.entries(input) as Array<[InputSlot, string[]]>) {
		const field = `input.${slot}`;
		if (service.settings.modelChecks && addresses.length > 0 && !model.inputs.includes(slot)) {
			throw invalid(field, `is not taken by the model ${model.id}`);
		}
		addresses.forEach((address, index) =>
			checkReference(service, workspace, address, `${field}[${index}]`),
		);
	}
}

/** 429 while the workspace's concurrent media jobs all run. Specification: Limits. */
export function checkConcurrency({ settings, clock }: Service, workspace: Workspace): void {
	if (workspace.running.size < settings.concurrentJobs) return;
	const message = `This workspace has ${settings.concurrentJobs} media jobs running.`;
	throw new ApiError(429, 'concurrency_limit', message, undefined, clock.milliseconds(5));
}
