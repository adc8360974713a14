import { formatGeneration } from '../formatters/generation';
import { formatAgentRun } from '../formatters/agentRun';
import { formatPersona } from '../formatters/persona';
import { formatSpeech } from '../formatters/speech';
import { notFound } from '../errors';
import type { Operation } from '../http/operation';
import type { Service } from '../service';

/** Whichever job an id identifies. Specification: Operation details, GET /jobs/{id}. */
export function jobs(operation: Operation, service: Service): void {
	operation('getJob', {}, ({ workspace, id }) => {
		const generation = workspace.generations.get(id);
		if (generation) return { status: 200, body: formatGeneration(service, generation) };
		const speech = workspace.speech.get(id);
		if (speech) return { status: 200, body: formatSpeech(service, speech) };
		const run = workspace.agentRuns.get(id);
		if (run) return { status: 200, body: formatAgentRun(service, run) };
		const persona = workspace.personas.get(id);
		if (persona) return { status: 200, body: formatPersona(service, persona) };
		throw notFound('The job');
	});
}
