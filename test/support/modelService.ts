import type { Answer, ApiRequest, Clock, Resource, Send } from '../../src/transport/types';
import { answer, errorBody, LOST } from './answers';

export interface ServiceSettings {
	requestsPerMinute: number;
	concurrentJobs: number;
	/** How a minute is counted. */
	window: 'sliding' | 'fixed';
	/** How long the job of a prompt takes, in milliseconds. */
	jobMs: (prompt: string) => number;
	/** Time from the request to the answer, in milliseconds. */
	latencyMs: number;
	/** Whether an answer is lost, after the service has done what was asked. */
	loses: (request: ApiRequest) => boolean;
	/** How a job ends. */
	ending: (prompt: string) => Record<string, unknown>;
	credits: number;
}

const DEFAULTS: ServiceSettings = {
	requestsPerMinute: 60,
	concurrentJobs: 5,
	window: 'sliding',
	jobMs: () => 10_000,
	latencyMs: 100,
	loses: () => false,
	ending: () => ({ status: 'completed' }),
	credits: Infinity,
};

interface Job {
	id: string;
	prompt: string;
	endsAt: number;
}

const MINUTE = 60_000;

/** The service in small and in virtual time: limits, jobs, list and idempotency as the specification gives them. */
export class ModelService {
	readonly settings: ServiceSettings;

	/** Every request that arrived, with its moment and the status of its answer. */
	readonly log: Array<{ at: number; request: ApiRequest; status: number }> = [];

	readonly jobs: Job[] = [];

	private readonly counted: number[] = [];

	private readonly keys = new Map<string, Job>();

	constructor(
		private readonly clock: Clock,
		settings: Partial<ServiceSettings> = {},
	) {
		this.settings = { ...DEFAULTS, ...settings };
	}

	/** Statuses that were answered, counted. */
	count(status: number, method?: string): number {
		return this.log.filter(
			(entry) => entry.status === status && (!method || entry.request.method === method),
		).length;
	}

	readonly send: Send = async (request) => {
		await this.clock.sleep(this.settings.latencyMs / 2);
		const given = this.answer(request);
		this.log.push({ at: this.clock.now(), request, status: 'status' in given ? given.status : 0 });
		await this.clock.sleep(this.settings.latencyMs / 2);
		return this.settings.loses(request) ? LOST : given;
	};

	private answer(request: ApiRequest): Answer {
		if (!this.admits()) return answer(429);
		if (request.method === 'POST') return this.create(request);
		if (request.path === '/generations') return this.list(request);
		const job = this.jobs.find(({ id }) => request.path === `/generations/${id}`);
		return job ? answer(200, this.shown(job)) : answer(404);
	}

	private admits(): boolean {
		const now = this.clock.now();
		const { window, requestsPerMinute } = this.settings;
		const since = window === 'fixed' ? Math.floor(now / MINUTE) * MINUTE : now - MINUTE;
		const within = this.counted.filter((at) => (window === 'fixed' ? at >= since : at > since));
		this.counted.push(now);
		return within.length < requestsPerMinute;
	}

	private create({ body, headers }: ApiRequest): Answer {
		const { prompt } = body as { prompt: string };
		const key = headers?.['Idempotency-Key'];
		const known = key === undefined ? undefined : this.keys.get(key);
		if (known) return answer(202, this.shown(known));
		if (this.settings.credits <= 0) return answer(402, errorBody('Not enough credits'));
		if (this.running() >= this.settings.concurrentJobs) return answer(429);
		const id = `gen_${this.jobs.length + 1}`;
		const job = { id, prompt, endsAt: this.clock.now() + this.settings.jobMs(prompt) };
		this.settings.credits -= 1;
		this.jobs.push(job);
		if (key !== undefined) this.keys.set(key, job);
		return answer(202, this.shown(job));
	}

	private running(): number {
		return this.jobs.filter(({ endsAt }) => endsAt > this.clock.now()).length;
	}

	private list({ query }: ApiRequest): Answer {
		const from = Number(query?.cursor ?? 0);
		const limit = Number(query?.limit ?? 20);
		const newest = [...this.jobs].reverse();
		const data = newest.slice(from, from + limit).map((job) => this.shown(job));
		const more = newest.length > from + limit;
		const next_cursor = more ? String(from + limit) : null;
		return answer(200, { object: 'list', data, has_more: more, next_cursor });
	}

	private shown({ id, prompt, endsAt }: Job): Resource {
		const common = { id, object: 'generation', mode: 'image', model: 'm', prompt };
		if (endsAt > this.clock.now()) return { ...common, status: 'queued' };
		const outputs = [
			{ id: `${id}-out`, url: `https://media.example/${id}.png`, media_type: 'image/png' },
		];
		return { ...common, outputs, ...this.settings.ending(prompt) };
	}
}
