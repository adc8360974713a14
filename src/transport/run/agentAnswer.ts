import { outputsIn } from '../files/jobOutputs';
import { jobState } from '../jobs/jobState';
import { ok, type Result } from '../base/result';
import type { Outcome, Item } from './item';
import { isRecord, type Json } from '../base/types';

/**
 * The fields of generated media that a model needs; fields about credits are kept as well, whatever
 * their name.
 */
const AGENT_FIELDS = [
	'id',
	'object',
	'status',
	'mode',
	'model',
	'url',
	'failure',
	'errors',
	'warning',
	'next',
];

const MEDIA_OBJECTS = new Set<unknown>(['generation', 'speech_generation']);

const GET_LATER = 'Not finished yet. Get it by its id in about a minute.';

const CALL_AGAIN =
	'Not finished yet. To keep waiting, call this tool again with exactly the same arguments: nothing is paid for twice. Later, get it by its id.';

const NOT_SENT =
	'Not sent yet, because too many jobs are running. Call this tool again with exactly the same arguments in about a minute.';

const urlsOf = (json: Json): string[] => {
	const urls = outputsIn(json)
		.filter(isRecord)
		.map(({ url }) => url);
	return urls.filter((url) => typeof url === 'string');
};

/**
 * The json of an item for an AI agent, which pays for every word. Media are reduced to what they
 * are, their links, their cost and what to do next; other resources are passed on in full.
 */
export function condenseForAgent(json: Json): Json {
	if (!MEDIA_OBJECTS.has(json.object)) return json;
	const isKept = (name: string) => AGENT_FIELDS.includes(name) || /credit/i.test(name);
	const kept = Object.entries(json).filter(([name]) => isKept(name));
	const urls = urlsOf(json);
	const condensed: Json = Object.fromEntries(kept);
	return urls.length > 1 ? { ...condensed, urls } : condensed;
}

/**
 * In a tool, a job that takes longer than an agent waits is a result and not an error: the agent
 * gets its id and what to do next. Agents up to version 2 would not even pass an error on.
 */
export function toAgentResult(
	{ spec, settings }: Pick<Item, 'spec' | 'settings'>,
	result: Result<Outcome>,
): Result<Outcome> {
	if (!settings.isTool) return result;
	if (!result.ok) {
		const { failure, job } = result;
		if (failure.kind === 'busy') {
			const resources = [{ status: 'not sent' }];
			return ok({ resources, files: [], next: NOT_SENT, isUnfinished: true });
		}
		if (failure.kind !== 'deadline' || !job) return result;
		const isNewEachTime = spec.endpoint.method === 'POST' && settings.idempotency === 'none';
		const next = isNewEachTime ? GET_LATER : CALL_AGAIN;
		return ok({ resources: [job], files: [], next, isUnfinished: true });
	}
	const [job, ...others] = result.value.resources;
	if (!job || others.length > 0 || !MEDIA_OBJECTS.has(job.object) || jobState(job) !== 'running') {
		return result;
	}
	return ok({ ...result.value, next: GET_LATER });
}
