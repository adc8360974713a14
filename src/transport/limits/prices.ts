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

	private readonly byJob = new BoundedMap<string, number>(MAX_JOBS);

	/** @param request as `priceKey` describes it */
	of(request: string): number | undefined {
		return this.byRequest.get(request);
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
