import type { SendResult, ApiRequest, Clock } from '../../src/base/types';

/**
 * What happens to a request: a number is the status it is refused with, `after` the one it is
 * answered with although it is done, `says` what is answered whether or not it `isDone`.
 */
export type Outcome =
	| 'answer'
	| 'lostBefore'
	| 'lostAfter'
	| 'brokenAfter'
	| 'errorAfter'
	| { after: number }
	| { says: SendResult; isDone: boolean }
	| number;

/** How the service behaves where the specification leaves idempotency keys open. */
export interface Behaviour {
	/** Whether a 402 is replayed for its key, whatever the balance is by then. */
	caches402: boolean;
	/**
	 * Whether the balance is checked before the key, so that a repeat of a paid request gets a 402.
	 */
	balanceFirst: boolean;
	/** Whether a key with another body is refused; otherwise the first response is replayed. */
	comparesBody: boolean;
	/**
	 * Whether a repeat returns the current state of the job; otherwise the first response unchanged.
	 */
	showsNow: boolean;
	/** Whether a job says when it was made, and an answer what time it is. */
	saysWhen: boolean;
	/** Whether the key of a job that has failed is free again. */
	dropsFailed?: boolean;
}

/** One of all combinations. */
export const habitsOf = ({ flag }: { flag: () => boolean }): Behaviour => ({
	caches402: flag(),
	balanceFirst: flag(),
	comparesBody: flag(),
	showsNow: flag(),
	saysWhen: flag(),
});

/** One charge. */
export interface Charge {
	id: string;
	prompt: string;
	model: string;
	/** How many outputs. */
	count: number;
	credits: number;
	at: number;
	endsAt: number;
	fails: boolean;
}

interface Asked {
	model?: string;
	prompt: string;
	parameters?: { count?: number };
}

interface StoredResponse {
	at: number;
	body: string;
	charge?: Charge;
}

const DAY = 24 * 3_600_000;

const error = (status: number, message = `status ${status}`): SendResult => ({
	status,
	headers: {},
	body: { error: { type: 'some', message } },
});

/**
 * A service with a strict ledger that counts what a client pays. Knows nothing of the client.
 *
 * Beside `ModelService` for two reasons. This one is about what the specification leaves open of
 * idempotency keys, in all combinations, with keys that expire and jobs that fail; the other is
 * about limits and time, with keys as the specification gives them: one class of both would have
 * every branch of the two. And this one answers without a turn of the clock, which lets a hundred
 * thousand sequences take minutes.
 */
export class LedgerService {
	readonly charges: Charge[] = [];

	balance = Infinity;

	/** What a creation costs, and whether the service says so. */
	price: (asked: Asked) => number = () => 1;

	saysPrice = false;

	/** How long jobs take, in milliseconds, and whether they fail. */
	next: () => { takes: number; fails: boolean } = () => ({ takes: 1_000, fails: false });

	outcome: (request: ApiRequest) => Outcome = () => 'answer';

	posts = 0;

	private readonly keys = new Map<string, StoredResponse>();

	constructor(
		private readonly clock: Pick<Clock, 'now'>,
		private readonly habits: Behaviour,
		private readonly onCharge: (charge: Charge) => void,
	) {}

	readonly send = async (request: ApiRequest): Promise<SendResult> => {
		const outcome = this.outcome(request);
		if (outcome === 'lostBefore') return { noResponse: 'ECONNRESET' };
		if (typeof outcome === 'number') return error(outcome);
		if (typeof outcome === 'object' && 'says' in outcome && !outcome.isDone) return outcome.says;
		const answer = request.method === 'POST' ? this.create(request) : this.read(request);
		if (outcome === 'lostAfter') return { noResponse: 'timeout' };
		if (outcome === 'brokenAfter') return { status: 202, headers: {}, body: '{"id": "ge' };
		if (typeof outcome === 'object')
			return 'says' in outcome ? outcome.says : error(outcome.after, 'in progress');
		return outcome === 'errorAfter' ? error(502) : answer;
	};

	isLive(charge: Charge): boolean {
		return !(charge.fails && charge.endsAt <= this.clock.now());
	}

	private create({ body, headers }: ApiRequest): SendResult {
		this.posts += 1;
		const now = this.clock.now();
		const key = headers?.['Idempotency-Key'];
		const text = JSON.stringify(body);
		const asked = body as Asked;
		const credits = this.price(asked);
		if (this.habits.balanceFirst && this.balance < credits) return error(402);
		const kept = key === undefined ? undefined : this.keys.get(key);
		if (kept && now - kept.at < DAY && !this.hasDropped(kept)) {
			if (this.habits.comparesBody && kept.body !== text) return error(400);
			if (!kept.charge) return error(402);
			return this.shown(kept.charge, this.habits.showsNow ? now : kept.at, 202);
		}
		if (this.balance < credits) {
			if (key && this.habits.caches402) this.keys.set(key, { at: now, body: text });
			return error(402);
		}
		this.balance -= credits;
		const { takes, fails } = this.next();
		const { prompt, model = 'm', parameters } = asked;
		const id = `gen_${this.charges.length + 1}`;
		const count = parameters?.count ?? 1;
		const charge = { id, prompt, model, count, credits, at: now, endsAt: now + takes, fails };
		this.onCharge(charge);
		this.charges.push(charge);
		if (key) this.keys.set(key, { at: now, body: text, charge });
		return this.shown(charge, takes === 0 ? now - 1 : now, 202);
	}

	private hasDropped({ charge }: StoredResponse): boolean {
		return this.habits.dropsFailed === true && charge !== undefined && !this.isLive(charge);
	}

	private read({ path, query }: ApiRequest): SendResult {
		const now = this.clock.now();
		if (path === '/generations') {
			const before = query?.cursor === undefined ? Infinity : Date.parse(String(query.cursor));
			const charges = this.charges.filter(({ at }) => at < before);
			const data = charges.map((charge) => (this.shown(charge, now, 200) as { body: object }).body);
			return {
				status: 200,
				headers: {},
				body: { object: 'list', data: data.reverse(), has_more: false },
			};
		}
		const charge = this.charges.find(({ id }) => path === `/generations/${id}`);
		return charge ? this.shown(charge, now, 200) : error(404);
	}

	private shown(charge: Charge, now: number, status: number): SendResult {
		const { id, prompt, model, count, credits, at, endsAt, fails } = charge;
		const priced = this.saysPrice ? { estimated_credits: credits } : {};
		const common = { id, object: 'generation', mode: 'image', model, prompt, ...priced };
		const outputs = Array.from({ length: count }, (_, index) => {
			const url = `https://media.example/${id}-${index + 1}.png`;
			return { id: `${id}-${index + 1}`, url, media_type: 'image/png' };
		});
		const ended = fails
			? { status: 'failed', errors: [{ message: 'no' }] }
			: { status: 'completed', outputs };
		const state = endsAt > now ? { status: 'queued' } : ended;
		const body = { ...common, ...state };
		if (!this.habits.saysWhen) return { status, headers: {}, body };
		const date = new Date(this.clock.now()).toUTCString();
		const created_at = new Date(at).toISOString();
		return { status, headers: { date }, body: { ...body, created_at } };
	}
}
