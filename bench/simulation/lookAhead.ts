import { seeded } from '../../testing/random';

/** A workspace whose jobs all take a time of the same even spread, in seconds. */
export interface Spread {
	slots: number;
	shortest: number;
	longest: number;
	/** From the list that shows an end to the next job's begin. */
	roundTrip: number;
}

interface Job {
	from: number;
	to: number;
}

/** How long a slot has been idle by then, as is to be expected of a job that ends in this span. */
function idleBy({ from, to }: Job, time: number): number {
	if (time <= from) return 0;
	return time >= to ? time - (from + to) / 2 : (time - from) ** 2 / (2 * (to - from));
}

/** When the slots are to be expected to have been idle for that long in all. */
function timeOf(idle: number, jobs: readonly Job[], last: number): number {
	let low = last;
	let high = last + 40;
	while (high - low > 0.01) {
		const middle = (low + high) / 2;
		if (jobs.reduce((sum, job) => sum + idleBy(job, middle), 0) < idle) low = middle;
		else high = middle;
	}
	return high;
}

/** Two lists are at least this far apart. */
const LEAST = 1;

/** What is tried out before each list: times around the one that the rule of our poller gives. */
const TRIED = [-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2.5, 4];

/** How often each is tried, and for how long. */
const TRIALS = 200;
const HORIZON = 45;

/**
 * The best that lists alone can do, about: a client that knows from the start how the durations are spread, and before each
 * list tries out ten times for it in 200 possible futures, which no client could. It creates at once and pays no request for it
 * but in the count.
 * @param durations of the jobs in the order of their creation, in seconds
 * @param price of a list, in seconds of an idle slot
 */
export function lookAhead(
	durations: readonly number[],
	spread: Spread,
	price: number,
	seed: number,
): { makespan: number; requests: number } {
	const { slots, shortest, longest, roundTrip } = spread;
	const random = seeded(seed);
	const spans = (begins: readonly number[], last: number): Job[] =>
		begins.map((begin) => ({ from: Math.max(begin + shortest, last), to: begin + longest }));
	const usual = (begins: readonly number[], last: number) =>
		Math.max(last + LEAST, timeOf(price, spans(begins, last), last));

	/** What one possible future costs if the next list goes out then. */
	const costOf = (begun: readonly number[], last: number, next: number): number => {
		const begins = [...begun];
		const ends = spans(begins, last).map(({ from, to }) => from + (to - from) * random());
		const until = last + HORIZON;
		let cost = 0;
		for (let at = next; at < until; at = usual(begins, at)) {
			cost += price;
			for (let slot = 0; slot < slots; slot += 1) {
				const end = ends[slot] ?? Infinity;
				if (end > at) continue;
				cost += at + roundTrip - end;
				begins[slot] = at + roundTrip;
				ends[slot] = at + roundTrip + shortest + (longest - shortest) * random();
			}
		}
		return cost + ends.reduce((sum, end) => sum + Math.max(0, until - end), 0);
	};

	const best = (begins: readonly number[], last: number): number => {
		const rule = usual(begins, last);
		let least = Infinity;
		let chosen = rule;
		for (const shift of TRIED) {
			const at = rule + shift;
			if (at < last + LEAST) continue;
			let cost = 0;
			for (let trial = 0; trial < TRIALS; trial += 1) cost += costOf(begins, last, at);
			if (cost >= least) continue;
			least = cost;
			chosen = at;
		}
		return chosen;
	};

	let made = Math.min(slots, durations.length);
	let running = durations.slice(0, made).map((seconds) => ({ begin: 0, end: seconds }));
	let requests = made;
	let last = 0;
	while (running.length > 0) {
		last = best(
			running.map(({ begin }) => begin),
			last,
		);
		requests += 1;
		const stillRunning = running.filter(({ end }) => end > last);
		const free = slots - stillRunning.length;
		const next = durations.slice(made, made + free);
		const begin = last + roundTrip;
		running = [...stillRunning, ...next.map((seconds) => ({ begin, end: begin + seconds }))];
		made += next.length;
		requests += next.length;
	}
	return { makespan: last + roundTrip / 2, requests };
}
