import type { SendResult, ApiRequest, Clock } from '../src/transport/base/types';

/** What becomes of a request on its way; anything else is what the service answers. */
export type Fate = 'answer' | 'lostBefore' | 'lostAfter' | 'brokenAfter' | 'errorAfter' | number;

/** How the service settles what the specification leaves open about idempotency keys. */
export interface Habits {
	/** Whether a 402 is repeated for its key, whatever the balance is then. */
	caches402: boolean;
	/** Whether the balance is looked at before the key, so that a repeat of what was paid for meets a 402. */
	balanceFirst: boolean;
	/** Whether a key with another body is refused; otherwise the first answer is repeated. */
	comparesBody: boolean;
	/** Whether a repeat shows the job as it is now; otherwise the first answer to the letter. */
	showsNow: boolean;
}

/** One charge. */
export interface Charge {
	id: string;
	prompt: string;
	at: number;
	endsAt: number;
	fails: boolean;
}

interface Kept {
	at: number;
	body: string;
	charge?: Charge;
}

const DAY = 24 * 3_600_000;

const error = (status: number): SendResult => ({
	status,
	headers: {},
	body: { error: { type: 'some', message: `status ${status}` } },
});

/** A service with a strict ledger, written for one purpose: to count what a client pays. Knows nothing of the client. */
export class LedgerService {
	readonly charges: Charge[] = [];

	balance = Infinity;

	/** How long jobs take, in milliseconds, and whether they fail. */
	next: () => { takes: number; fails: boolean } = () => ({ takes: 1_000, fails: false });

	fate: (request: ApiRequest) => Fate = () => 'answer';

	posts = 0;

	private readonly keys = new Map<string, Kept>();

	constructor(
		private readonly clock: Clock,
		private readonly habits: Habits,
		private readonly onCharge: (charge: Charge) => void,
	) {}

	readonly send = async (request: ApiRequest): Promise<SendResult> => {
		const fate = this.fate(request);
		if (fate === 'lostBefore') return { noResponse: 'ECONNRESET' };
		if (typeof fate === 'number') return error(fate);
		const answer = request.method === 'POST' ? this.create(request) : this.read(request);
		if (fate === 'lostAfter') return { noResponse: 'timeout' };
		if (fate === 'brokenAfter') return { status: 202, headers: {}, body: '{"id": "ge' };
		return fate === 'errorAfter' ? error(502) : answer;
	};

	isLive(charge: Charge): boolean {
		return !(charge.fails && charge.endsAt <= this.clock.now());
	}

	private create({ body, headers }: ApiRequest): SendResult {
		this.posts += 1;
		const now = this.clock.now();
		const key = headers?.['Idempotency-Key'];
		const text = JSON.stringify(body);
		if (this.habits.balanceFirst && this.balance <= 0) return error(402);
		const kept = key === undefined ? undefined : this.keys.get(key);
		if (kept && now - kept.at < DAY) {
			if (this.habits.comparesBody && kept.body !== text) return error(400);
			if (!kept.charge) return error(402);
			return this.shown(kept.charge, this.habits.showsNow ? now : kept.at, 202);
		}
		if (this.balance <= 0) {
			if (key && this.habits.caches402) this.keys.set(key, { at: now, body: text });
			return error(402);
		}
		this.balance -= 1;
		const { takes, fails } = this.next();
		const { prompt } = body as { prompt: string };
		const id = `gen_${this.charges.length + 1}`;
		const charge = { id, prompt, at: now, endsAt: now + takes, fails };
		this.onCharge(charge);
		this.charges.push(charge);
		if (key) this.keys.set(key, { at: now, body: text, charge });
		return this.shown(charge, takes === 0 ? now - 1 : now, 202);
	}

	private read({ path }: ApiRequest): SendResult {
		const now = this.clock.now();
		if (path === '/generations') {
			const data = this.charges.map(
				(charge) => (this.shown(charge, now, 200) as { body: object }).body,
			);
			return {
				status: 200,
				headers: {},
				body: { object: 'list', data: data.reverse(), has_more: false },
			};
		}
		const charge = this.charges.find(({ id }) => path === `/generations/${id}`);
		return charge ? this.shown(charge, now, 200) : error(404);
	}

	private shown({ id, prompt, endsAt, fails }: Charge, now: number, status: number): SendResult {
		const common = { id, object: 'generation', mode: 'image', model: 'm', prompt };
		const ended = fails ? 'failed' : 'completed';
		const outputs = [
			{ id: `${id}-1`, url: `https://media.example/${id}.png`, media_type: 'image/png' },
		];
		const job =
			endsAt > now
				? { ...common, status: 'queued' }
				: { ...common, status: ended, ...(fails ? { errors: [{ message: 'no' }] } : { outputs }) };
		return { status, headers: {}, body: job };
	}
}
