import { BoundedMap } from '../base/boundedMap';

/** Requests of a kind whose price is remembered: more models and parameters than any workflow mixes. */
const MAX_REQUESTS = 1_000;

/** Jobs whose price is remembered: those of the largest run that is measured. */
const MAX_JOBS = 10_000;

/**
 * What creations have reserved in this process. The service has no quote (specification: Credit
 * rules), so the price of a request is that of the last one with the same model and parameters.
 */
export class Prices {
	private readonly byRequest = new BoundedMap<string, number>(MAX_REQUESTS);

	/** The last one of each kind, with how much it had to speak. */
	private readonly byKind = new BoundedMap<string, { length: number; credits: number }>(
		MAX_REQUESTS,
	);

	private readonly byJob = new BoundedMap<string, number>(MAX_JOBS);

	/** @param request as `priceKey` describes it */
	of(request: string): number | undefined {
		return this.byRequest.get(request);
	}

	noteKind(kind: string, length: number, credits: number): void {
		this.byKind.set(kind, { length, credits });
	}

	/**
	 * What a request is likely to reserve whose like was created with more or less to speak: a shorter
	 * one a share of it, a longer one at least as much; some models have one price for any length.
	 */
	ofKind(kind: string, length: number): number | undefined {
		const last = this.byKind.get(kind);
		if (!last || length >= last.length) return last?.credits;
		return Math.ceil((last.credits * length) / last.length);
	}

	/**
	 * Records what a creation has reserved.
	 *
	 * @param name what a response that gives the same job again has in common with this one;
	 * `undefined` where none can. The id alone does not do: a service that was set up again may reuse
	 * it.
	 * @returns what is new about it: nothing for a job that a repeated key has given again
	 */
	record(request: string, name: string | undefined, credits: number): number {
		this.byRequest.set(request, credits);
		if (name === undefined) return credits;
		const known = this.byJob.get(name) ?? 0;
		this.byJob.set(name, Math.max(credits, known));
		return Math.max(0, credits - known);
	}
}
