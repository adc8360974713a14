import { readDateTime } from '../formatters/date';
import type { Operation } from '../http/operation';
import { usageQuery } from '../schemas/usage';
import type { Service } from '../service';
import { USAGE_MODES } from '../credits/usage';

/** Open point 14: the fields of the summary are not shown. */
export function usage(operation: Operation, service: Service): void {
	operation('getUsage', { query: usageQuery }, ({ workspace, query }) => {
		const microseconds = query.since === undefined ? undefined : readDateTime(query.since);
		const since = microseconds === undefined ? undefined : microseconds / 1000;
		const data = USAGE_MODES.map((mode) => ({
			mode,
			...service.usage.sum(workspace.id, mode, since),
		})).filter(({ jobs, credits }) => jobs + credits > 0);
		const credits = data.reduce((sum, each) => sum + each.credits, 0);
		return {
			status: 200,
			body: { object: 'usage', since: query.since ?? null, data, total_credits: credits },
		};
	});
}
