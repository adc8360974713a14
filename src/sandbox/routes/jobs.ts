import { formatGeneration } from '../formatters/generation';
import { notFound } from '../http/errors';
import type { Operation } from '../http/operation';
import type { Service } from '../service';

/** Whichever job an id identifies. Specification: Operation details, GET /jobs/{id}. */
export function jobs(operation: Operation, service: Service): void {
	operation('getJob', {}, ({ workspace, id }) => {
		const generation = workspace.generations.get(id);
		if (generation) return { status: 200, body: formatGeneration(service, generation) };
		throw notFound('The job');
	});
}
