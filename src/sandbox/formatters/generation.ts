import type { Generation } from '../../contract';
import type { GenerationEntity, JobProblem } from '../state/entities';
import type { Service } from '../service';

/** A generation as it goes over the wire; signed links are created each time. */
export function formatGeneration(service: Service, entity: GenerationEntity): Generation {
	const { id, status, mode, model, estimatedCredits } = entity;
	const base: Generation = { id, object: 'generation', status, mode, model };
	if (status === 'queued') return { ...base, estimated_credits: estimatedCredits };
	return {
		...base,
		output_ids: entity.outputs.map((output) => output.id),
		outputs: formatOutputs(service, entity),
		estimated_credits: estimatedCredits,
		...errorFields(service, entity.problems),
	};
}

function formatOutputs(service: Service, { outputs, delivery, problems }: GenerationEntity) {
	const { signedSeconds, errorsField } = service.settings;
	const good = outputs.map((output) => ({
		id: output.id,
		media_type: output.mediaType,
		...service.links.output(output, delivery, signedSeconds),
	}));
	if (errorsField !== 'outputs') return good;
	const bad = problems.map(({ type, message, output }) => ({
		id: output ?? '',
		error: { type, message },
	}));
	return [...good, ...bad] as typeof good;
}

/** Open point 1: which field carries the errors of a job is not shown. */
export function errorFields({ settings }: Service, problems: JobProblem[]) {
	const [first] = problems;
	if (!first) return {};
	const { type, message } = first;
	if (settings.errorsField === 'error') return { error: { type, message } };
	if (settings.errorsField !== 'errors') return {};
	const errors = problems.map((each) => ({
		type: each.type,
		message: each.message,
		output_id: each.output,
	}));
	return { errors };
}
