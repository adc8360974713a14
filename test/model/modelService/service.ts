import type { SendResult, ApiRequest, Clock, Resource, Send } from '../../../src/base/types';
import { answer, errorBody, LOST } from '../answers';
import { requestLimit, type RequestLimit } from './requestLimit';
import { DEFAULTS, type Fault, type ServiceSettings } from './settings';

export type { ServiceSettings } from './settings';

/** How long a client waits for an answer, in milliseconds. */
const TIMEOUT_MS = 120_000;

/** What `Retry-After` says where all slots are taken: the service cannot know when a job ends. */
const SLOT_RETRY_MS = 5_000;

interface Asked {
	mode?: string;
	model?: string;
	prompt: string;
	parameters?: { count?: number };
}

interface Job {
	id: string;
	mode: string;
	model: string;
	prompt: string;
	/** How many outputs. */
	count: number;
	at: number;
	endsAt: number;
	/** Reserved credits. */
	credits: number;
	/** How it has ended, once somebody has read that. */
	ended?: Resource;
}

/**
 * The service in small and in virtual time: limits, jobs, list and idempotency as the specification
 * gives them. What it leaves open of idempotency keys is `LedgerService`, which says why it is
 * another class.
 */
export class ModelService {
	readonly settings: ServiceSettings;

	/** Every request that arrived, with its moment and the status of its answer. */
	readonly log: Array<{ at: number; request: ApiRequest; status: number }> = [];

	/** Every job, oldest first; each was charged once. */
	readonly jobs: Job[] = [];

	private readonly byId = new Map<string, Job>();

	private readonly keys = new Map<string, Job>();

	private readonly limit: RequestLimit;

	private running: Job[] = [];

	constructor(
		private readonly clock: Clock,
		settings: Partial<ServiceSettings> = {},
	) {
		this.settings = { ...DEFAULTS, ...settings };
		const { window, requestsPerMinute, burst, countsRefused } = this.settings;
		this.limit = requestLimit(window, requestsPerMinute, burst, countsRefused);
	}

	/** Statuses that were answered, counted. */
	count(status: number, method?: string): number {
		return this.log.filter(
			(entry) => entry.status === status && (!method || entry.request.method === method),
		).length;
	}

	readonly send: Send = async (request) => {
		const fault = this.settings.fault(request);
		await this.clock.sleep(this.settings.latencyMs / 2);
		if (fault === 'before') return LOST;
		const given = this.dated(this.answer(request));
		this.log.push({ at: this.clock.now(), request, status: 'status' in given ? given.status : 0 });
		await this.clock.sleep(this.settings.latencyMs / 2);
		if (fault === 'timeout') await this.clock.sleep(TIMEOUT_MS);
		return damaged(given, fault);
	};

	private dated(given: SendResult): SendResult {
		if (!this.settings.saysWhen || !('status' in given)) return given;
		return {
			...given,
			headers: { ...given.headers, date: new Date(this.clock.now()).toUTCString() },
		};
	}

	private answer(request: ApiRequest): SendResult {
		const now = this.clock.now();
		if (!this.limit.admits(now)) return this.tooMany(this.limit.waitMs(now));
		if (request.method === 'POST') return this.create(request);
		if (request.path === '/generations') return this.list(request);
		const job = this.byId.get(request.path.split('/')[2] ?? '');
		return job ? answer(200, this.shown(job)) : answer(404);
	}

	private tooMany(waitMs: number): SendResult {
		const retryAfter = String(Math.ceil(waitMs / 1_000));
		return answer(
			429,
			undefined,
			this.settings.namesRetryAfter ? { 'retry-after': retryAfter } : {},
		);
	}

	private create({ path, body, headers }: ApiRequest): SendResult {
		const { mode = 'image', model = 'm', prompt, parameters } = body as Asked;
		const asked = { mode, model, prompt, count: parameters?.count ?? 1 };
		const sent = headers?.['Idempotency-Key'];
		const key = sent && `${path} ${sent}`;
		const known = key === undefined ? undefined : this.keys.get(key);
		if (known) return answer(202, this.shown(known));
		const credits = this.settings.price?.(body as Record<string, unknown>) ?? 1;
		if (this.settings.credits < credits) return answer(402, errorBody('Not enough credits'));
		if (this.isFull()) return this.tooMany(SLOT_RETRY_MS);
		const job = this.begin(asked, credits);
		if (key !== undefined) this.keys.set(key, job);
		return answer(202, this.shown(job));
	}

	private begin(asked: Pick<Job, 'mode' | 'model' | 'prompt' | 'count'>, credits: number): Job {
		const { jobMs, latencyMs, onEnd } = this.settings;
		const takes = jobMs(asked.prompt);
		const id = `gen_${this.jobs.length + 1}`;
		const at = this.clock.now();
		const job: Job = { id, ...asked, at, endsAt: at + takes, credits };
		this.settings.credits -= credits;
		this.jobs.push(job);
		this.byId.set(job.id, job);
		this.running.push(job);
		if (onEnd) void this.clock.sleep(takes + latencyMs / 2).then(() => onEnd(this.shown(job)));
		return job;
	}

	private isFull(): boolean {
		const now = this.clock.now();
		this.running = this.running.filter(({ endsAt }) => endsAt > now);
		return this.running.length >= this.settings.concurrentJobs;
	}

	private list({ query }: ApiRequest): SendResult {
		const from = Number(query?.cursor ?? 0);
		const limit = Number(query?.limit ?? 20);
		const end = Math.max(0, this.jobs.length - from);
		const begin = Math.max(0, end - limit);
		const data = this.jobs.slice(begin, end).reverse();
		const next_cursor = begin > 0 ? String(from + limit) : null;
		const entries = data.map((job) => this.shown(job));
		return answer(200, { object: 'list', data: entries, has_more: begin > 0, next_cursor });
	}

	private shown(job: Job): Resource {
		if (job.ended) return job.ended;
		const { id, mode, model, prompt, count, at, endsAt, credits } = job;
		const estimate = this.settings.price && { estimated_credits: credits };
		const made = this.settings.saysWhen && { created_at: new Date(at).toISOString() };
		const common = { id, object: 'generation', mode, model, prompt, ...estimate, ...made };
		if (endsAt > this.clock.now()) return { ...common, status: this.settings.runs };
		const outputs = Array.from({ length: count }, (_, index) => ({
			id: index === 0 ? `${id}-out` : `${id}-out-${index + 1}`,
			url: `https://media.example/${id}.png`,
			media_type: 'image/png',
		}));
		job.ended = { ...common, outputs, ...this.settings.ending(prompt) };
		return job.ended;
	}
}

/** What is left of an answer. */
function damaged(given: SendResult, fault: Fault | undefined): SendResult {
	if (fault === undefined || !('status' in given)) return given;
	if (fault === 'error') return answer(502, 'Bad gateway');
	if (fault === 'after') return LOST;
	if (fault === 'timeout') return { noResponse: 'timeout' };
	return { ...given, body: JSON.stringify(given.body).slice(0, -20) };
}
