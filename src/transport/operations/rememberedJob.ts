import { jobState } from '../jobs/jobState';
import type { Item } from '../item/item';
import { asText, isRecord, type Resource } from '../base/types';

/** Whether the links of a resource can still be used a minute from now. */
export function isLasting(resource: Resource, now: number): boolean {
	const outputs = Array.isArray(resource.outputs) ? resource.outputs : [resource.output];
	return outputs.every((output: unknown) => {
		const expires = Date.parse(isRecord(output) ? asText(output.expires_at) : '');
		return Number.isNaN(expires) || expires > now + 60_000;
	});
}

/** Longest resource that is remembered whole, in characters. */
const MOST_CHARACTERS = 2_000;

/** A resource as it is remembered once it has ended well; what may still change is read again instead. */
export function rememberedJob({ spec, settings }: Item, job: Resource): string | undefined {
	const mayChange =
		job.object === 'agent_run' || jobState(job, settings.terminalStatuses) === 'running';
	if (spec.holdsSecret || (spec.output === 'job' && mayChange)) return undefined;
	const text = JSON.stringify(job);
	return text.length <= MOST_CHARACTERS ? text : undefined;
}
