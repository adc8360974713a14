import { ENDPOINTS, GENERATION_MODES, isRecord, textOf, type Endpoint } from '../../../src/api';
import {
	NEWEST,
	startOfDay,
	usageSince,
	type AskService,
	type Today,
} from '../../../src/creation/credits/shownToday';
import { readToday } from '../../../src/creation/credits/today';
import type { Item } from '../../../src/creation/item';
import { unlessAborted } from '../../../src/base/abort';
import { fail, type Failed, type Result } from '../../../src/base/result';
import {
	isNoResponse,
	isResource,
	type ApiRequest,
	type ApiResponse,
	type Channel,
	type NoResponse,
} from '../../../src/base/types';
import { canonicalJson } from '../../../src/base/values';
import { mustBeObject } from '../../../src/transport/client';
import { mustBeList, pageOf } from '../../../src/transport/pages';
import { isRefusal, refusalOf } from '../../../src/transport/statuses';

/*
 * What Check Setup asks the service. Nothing is made and nothing is paid: it reads by GET, and it tries what
 * would create something by a POST without any of the fields that the specification requires. There are at
 * most 20 requests: ten that read, six without fields, and one for the deliveries of each of three webhooks.
 * What is left of them goes to further pages of the jobs of the day.
 */

const MOST_REQUESTS = 20;

/** Of so many webhooks the deliveries are read. */
const MOST_WEBHOOKS = 3;

/** How long all questions together may take, in ms. Some may wait for their turn (Requests per Minute). */
const DEADLINE_MS = 60_000;

/**
 * How long one answer may take, in ms, even if the user has set a longer timeout: one that does not come must
 * not use up the time of all.
 */
const LONGEST_ANSWER_MS = 20_000;

/** The unit of the header `Date`, in ms, which is rounded down. */
const SECOND_MS = 1_000;

const TOO_BUSY = `today has more jobs than can be read in ${MOST_REQUESTS} requests`;

const NO_TURN = 'its turn under Requests per Minute has not come within a minute';

/** What was asked, and what has come of it. */
export interface Reply {
	endpoint: Endpoint;
	result: Result<ApiResponse>;
}

interface Question {
	endpoint: Endpoint;
	query?: ApiRequest['query'];
	/** Whether its answer is an object and no list. */
	isObject?: boolean;
}

type ReadName =
	| 'credits'
	| (typeof GENERATION_MODES)[number]
	| 'generations'
	| 'usage'
	| 'voices'
	| 'personas'
	| 'agentRuns'
	| 'webhooks';

export interface Replies {
	/** Why nothing could be asked, where the credential leads to no service. */
	problem: Failed | undefined;
	reads: Record<ReadName, Reply>;
	writes: Reply[];
	/** What the workspace has spent since midnight. */
	today: Today;
	/** The deliveries of the first webhooks, by the id of the webhook. */
	deliveries: Map<string, Reply>;
	/** How far n8n's clock is ahead of the service's, in ms; `undefined` if no answer had a date. */
	clockOffset: number | undefined;
}

/** The questions that read: one for each read scope, and one for the models of each kind of media. */
const readQuestions = (since: number): Record<Exclude<ReadName, 'credits'>, Question> => ({
	image: { endpoint: ENDPOINTS.listModels, query: { mode: 'image' } },
	video: { endpoint: ENDPOINTS.listModels, query: { mode: 'video' } },
	audio: { endpoint: ENDPOINTS.listModels, query: { mode: 'audio' } },
	generations: { endpoint: ENDPOINTS.listGenerations, query: NEWEST },
	usage: { endpoint: ENDPOINTS.getUsage, query: usageSince(since), isObject: true },
	voices: { endpoint: ENDPOINTS.listVoices },
	personas: { endpoint: ENDPOINTS.listPersonas },
	agentRuns: { endpoint: ENDPOINTS.listAgentRuns },
	webhooks: { endpoint: ENDPOINTS.listWebhooks },
});

/** What creates something: one for each write scope but that of files, which is asked before these. */
const WRITES: Endpoint[] = [
	ENDPOINTS.createGeneration,
	ENDPOINTS.createAgentRun,
	ENDPOINTS.createVoice,
	ENDPOINTS.createPersona,
	ENDPOINTS.createWebhook,
];

/**
 * Refusals that the service makes only once it has looked at the key. Others, such as that of a wrong
 * address, may come before.
 */
const BEHIND_THE_KEY = ['forbidden', 'throttled', 'invalid', 'noCredits'];

/**
 * Whether an answer is of the API, as many other servers answer with a JSON object too. The lists and
 * resources of the API say what they are.
 */
const isOfApi = (body: unknown): boolean =>
	mustBeList(body) === undefined || (isRecord(body) && textOf(body.object) !== undefined);

/** Whether an answer shows that the service knows the key. */
export function knowsKey({ result }: Reply): boolean {
	if (result.ok) return isOfApi(result.value.body);
	return isRefusal(result) && BEHIND_THE_KEY.includes(refusalOf(result) ?? '');
}

/** Whether something was asked, and not left out because the credential excludes its scope. */
export const wasWanted = ({ result }: Reply): boolean =>
	result.ok || result.failure.kind !== 'scope';

/** Why nothing else is asked after this answer, as all would be answered the same. */
function reasonToStop({ result }: Reply): string | undefined {
	if (result.ok) return undefined;
	if (refusalOf(result) === 'badKey') return 'the API key was refused';
	const { failure } = result;
	const isUnsent = failure.kind === 'noResponse' && failure.unsent !== undefined;
	return isUnsent ? 'the service cannot be reached' : undefined;
}

const questionKey = ({ path }: Endpoint, query: ApiRequest['query']): string =>
	path + canonicalJson(query ?? {});

/** Asks each question once, within the rate limit, and notes the time that the answers carry. */
class Questioner {
	/** Why nothing further is asked. */
	stopped: Failed | undefined;
	clockOffset: number | undefined;
	private readonly channel: Channel;
	/** The answers to what was read, by endpoint and query, so that nothing is asked twice. */
	private readonly known = new Map<string, Reply>();
	private sent = 0;

	constructor(private readonly item: Item) {
		const { channel } = item.host;
		const deadline = AbortSignal.timeout(DEADLINE_MS);
		this.stopped = item.credential?.problem;
		const signal = channel.signal ? AbortSignal.any([channel.signal, deadline]) : deadline;
		this.channel = {
			...channel,
			signal,
			send: async (request) => {
				this.sent += 1;
				const end = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_ANSWER_MS)]);
				const response = await unlessAborted(end, channel.send(request)).catch((): NoResponse => ({
					noResponse: 'timeout',
				}));
				if (!isNoResponse(response)) this.noteTime(response);
				return response;
			},
		};
	}

	/** The longer an answer was on its way, the older is its date. So the smallest difference counts. */
	private noteTime({ headers }: ApiResponse): void {
		const theirs = Date.parse(headers.date ?? '') + SECOND_MS / 2;
		const offset = this.item.workspace.clock.now() - theirs;
		if (Number.isNaN(offset)) return;
		if (Math.abs(offset) < Math.abs(this.clockOffset ?? Infinity)) this.clockOffset = offset;
	}

	private isExcluded({ scope }: Endpoint): boolean {
		const excluded = this.item.credential?.excludedScopes ?? [];
		return scope !== undefined && excluded.includes(scope);
	}

	private async ask(
		endpoint: Endpoint,
		validate: (body: unknown) => string | undefined,
		more: Partial<ApiRequest>,
	): Promise<Reply> {
		const { method, path, scope = '' } = endpoint;
		if (this.isExcluded(endpoint)) return { endpoint, result: fail({ kind: 'scope', scope }) };
		if (this.stopped) return { endpoint, result: this.stopped };
		const { workspace, host } = this.item;
		const request: ApiRequest = { method, path, ...more };
		const options = { retry: false, return429: method === 'POST', validate };
		const result = await workspace.client.request(this.channel, request, options);
		const hadNoTurn = !result.ok && result.failure.kind === 'cancelled';
		if (hadNoTurn && host.channel.signal?.aborted !== true)
			return { endpoint, result: fail({ kind: 'skipped', cause: NO_TURN }) };
		return { endpoint, result };
	}

	async read({ endpoint, query, isObject = false }: Question): Promise<Reply> {
		const reply = await this.ask(endpoint, isObject ? mustBeObject : mustBeList, { query });
		this.known.set(questionKey(endpoint, query), reply);
		return reply;
	}

	/** What has been spent today, without asking anything twice or more than {@link MOST_REQUESTS}. */
	async spentToday(): Promise<Today> {
		const read: AskService = async (endpoint, query) => {
			const known = this.known.get(questionKey(endpoint, query));
			if (known !== undefined) return known.result;
			if (this.sent >= MOST_REQUESTS) return fail({ kind: 'skipped', cause: TOO_BUSY });
			return (await this.read({ endpoint, query })).result;
		};
		return await readToday(this.item, read);
	}

	/** Asks for nothing in particular, so any answer is taken, also an unexpected success. */
	async write(endpoint: Endpoint): Promise<Reply> {
		return await this.ask(endpoint, () => undefined, { body: {} });
	}

	async deliveriesOf(id: string): Promise<Reply> {
		const endpoint = ENDPOINTS.listDeliveries;
		const path = endpoint.path.replace('{id}', encodeURIComponent(id));
		return await this.ask(endpoint, mustBeList, { path });
	}

	/** Learns the prices of the workspace, which are shared, from the list that was read. */
	async learnPrices({ result }: Reply): Promise<void> {
		if (!result.ok) return;
		const channel: Channel = {
			...this.channel,
			send: async () => await Promise.resolve(result.value),
		};
		await this.item.workspace.prices.ask(channel, []);
	}

	stop(cause: string | undefined): void {
		if (cause !== undefined) this.stopped ??= fail({ kind: 'skipped', cause });
	}
}

/**
 * Asks all questions: one first, which shows whether the service can be reached and knows the key, then all
 * that read, and then, if an answer has shown that the service knows the key, what creates something.
 */
export async function askAll(item: Item): Promise<Replies> {
	const questioner = new Questioner(item);
	const credits = await questioner.read({ endpoint: ENDPOINTS.getCredits, isObject: true });
	questioner.stop(reasonToStop(credits));

	const { workspace, origin } = item;
	const since = startOfDay(workspace.clock.now(), origin.timezone);
	const asked = Object.entries(readQuestions(since)).map(
		async ([name, question]) => [name, await questioner.read(question)] as const,
	);
	const others = Object.fromEntries(await Promise.all(asked)) as Omit<Replies['reads'], 'credits'>;
	const reads = { credits, ...others };
	await questioner.learnPrices(reads.generations);

	const wanted = Object.values(reads).filter(wasWanted);
	if (wanted.length > 0 && !wanted.some(knowsKey))
		questioner.stop('no answer has shown that the service knows the key');
	// The first is for a file, which costs nothing: if a service makes one without any field, nothing else is
	// tried.
	const ofFiles = await questioner.write(ENDPOINTS.createFile);
	if (ofFiles.result.ok) questioner.stop('the service accepts a request without any field');
	const ofOthers = WRITES.map(async (endpoint) => await questioner.write(endpoint));
	const writes = [ofFiles, ...(await Promise.all(ofOthers))];

	const { result: list } = reads.webhooks;
	const webhooks = list.ok ? pageOf(list.value.body).entries.filter(isResource) : [];
	const deliveries = new Map<string, Reply>();
	for (const { id } of webhooks.slice(0, MOST_WEBHOOKS))
		deliveries.set(id, await questioner.deliveriesOf(id));
	const today = await questioner.spentToday();
	const { clockOffset } = questioner;
	return { problem: item.credential?.problem, reads, writes, today, deliveries, clockOffset };
}
