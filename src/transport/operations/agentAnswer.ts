import type { IDataObject } from 'n8n-workflow';
import { jobState } from '../jobs/jobState';
import { ok, type Result } from '../base/result';
import type { Outcome, Item } from '../item/item';
import { isRecord } from '../base/types';

/** What a model needs to know of generated media; credits are kept by whatever name they have. */
const KEPT = [
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

const MEDIA = new Set<unknown>(['generation', 'speech_generation']);

const LATER = 'Not finished yet. Get it by its id in about a minute.';

const AGAIN =
	'Not finished yet. To keep waiting, call this tool again with exactly the same arguments: nothing is paid for twice. Later, get it by its id.';

const urlsOf = ({ outputs, output }: IDataObject): string[] => {
	const listed: unknown[] = Array.isArray(outputs) ? outputs : [output];
	const urls = listed.filter(isRecord).map(({ url }) => url);
	return urls.filter((url) => typeof url === 'string');
};

/**
 * The json of an item as an AI agent is given it, which pays for every word: of media what they are, their links, what they
 * cost and what to do next. Other resources stay whole.
 */
export function shortForAgent(json: IDataObject): IDataObject {
	if (!MEDIA.has(json.object)) return json;
	const isKept = (name: string) => KEPT.includes(name) || /credit/i.test(name);
	const kept = Object.entries(json).filter(([name]) => isKept(name));
	const urls = urlsOf(json);
	return { ...Object.fromEntries(kept), ...(urls.length > 1 && { urls }) };
}

/**
 * As a tool, a job that outlasts the patience of an agent is an answer and not an error: the agent is given its id and what to
 * do next. Agents up to version 2 do not even pass an error on.
 */
export function answerAgent(
	{ spec, settings }: Pick<Item, 'spec' | 'settings'>,
	result: Result<Outcome>,
): Result<Outcome> {
	if (!settings.isTool) return result;
	if (!result.ok) {
		const { failure, job } = result;
		if (failure.kind !== 'deadline' || !job) return result;
		const isNewEachTime = spec.endpoint.method === 'POST' && settings.idempotency === 'none';
		const next = isNewEachTime ? LATER : AGAIN;
		return ok({ resources: [job], files: [], next, isUnfinished: true });
	}
	const [job, ...others] = result.value.resources;
	if (!job || others.length > 0 || !MEDIA.has(job.object) || jobState(job) !== 'running') {
		return result;
	}
	return ok({ ...result.value, next: LATER });
}
