import { outputsIn } from '../files/jobOutputs';
import { jobState } from '../jobs/jobState';
import type { Item } from './item';
import { asText, isRecord, type Resource } from '../base/types';

/** Whether the links of a resource will still work in a minute. */
export function areLinksFresh(resource: Resource, now: number): boolean {
	return outputsIn(resource).every((output) => {
		const expires = Date.parse(isRecord(output) ? asText(output.expires_at) : '');
		return Number.isNaN(expires) || expires > now + 60_000;
	});
}

/** The largest resource that is remembered in full, in characters of JSON. */
const MAX_CHARACTERS = 2_000;

/**
 * The resource as it is remembered after success; `undefined` for one that may still change, which
 * is read again.
 */
export function rememberedJob({ spec, settings }: Item, job: Resource): string | undefined {
	const mayChange =
		job.object === 'agent_run' || jobState(job, settings.terminalStatuses) === 'running';
	if (spec.holdsSecret || (spec.output === 'job' && mayChange)) return undefined;
	const text = JSON.stringify(job);
	return text.length <= MAX_CHARACTERS ? text : undefined;
}
