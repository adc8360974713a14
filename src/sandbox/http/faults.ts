import { z } from 'zod/v4';

import type { SeededRandom } from '../state/seededRandom';

/** What can be made to go wrong; surfaces in the order of a request's way. */
export const FAULT_KINDS = [
	// A request: the answer is lost or spoilt before or after the service did its work.
	'lost_before',
	'lost_after',
	'status_before',
	'status_after',
	'storm',
	'slow',
	'truncate',
	// A job.
	'job_fail',
	'job_partial',
	// A file address.
	'expired_link',
	'cut_download',
	// A delivery of an event.
	'delivery_duplicate',
	'delivery_reorder',
	'delivery_lose',
	'delivery_delay',
	'delivery_tamper',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** What happens, in a line for the page. */
export const FAULT_NOTES: Record<FaultKind, string> = {
	lost_before: 'The connection is cut before anything was done',
	lost_after: 'The connection is cut after the work was done',
	status_before: 'An error status, before the work',
	status_after: 'An error status, though the work was done',
	storm: '429 without side effects',
	slow: 'The answer comes late',
	truncate: 'The body ends half-way',
	job_fail: 'Jobs fail',
	job_partial: 'Jobs lose their last output',
	expired_link: 'A link to an output is refused',
	cut_download: 'A download ends early',
	delivery_duplicate: 'An event is delivered more than once',
	delivery_reorder: 'An event arrives after the next one',
	delivery_lose: 'An event never arrives',
	delivery_delay: 'An event arrives later',
	delivery_tamper: 'The body of an event is changed on the way',
};

export const faultRuleSchema = z.strictObject({
	kind: z.enum(FAULT_KINDS),
	/** Names of operations as in the contract (`createGeneration` …); all when left out. */
	operations: z.array(z.string()).optional(),
	workspace: z.string().optional(),
	/** For jobs: what the prompt, brief, text or name contains. */
	contains: z.string().optional(),
	mode: z.string().optional(),
	model: z.string().optional(),
	/** For deliveries: kinds of events. */
	events: z.array(z.string()).optional(),
	/** How many matching ones pass first. */
	skip: z.number().int().min(0).default(0),
	/** Applies at most this often; unlimited if left out. */
	times: z.number().int().min(0).optional(),
	probability: z.number().min(0).max(1).default(1),
	/** `status_*`: what is answered. */
	status: z.number().int().min(400).max(599).default(503),
	/**
	 * `storm`, `status_*`: the Retry-After header as it is sent, for example `2`, `-1`, `NaN`, a
	 * date.
	 */
	retryAfter: z.string().optional(),
	/** `slow`, `delivery_delay`: service seconds. */
	seconds: z.number().min(0).default(5),
	/** `cut_download`: bytes that are sent before the cut; half when left out. */
	bytes: z.number().int().min(0).optional(),
	/** `delivery_duplicate`: deliveries more than one. */
	copies: z.number().int().min(1).max(20).default(1),
});

export const faultsSchema = z.strictObject({
	rules: z.array(faultRuleSchema).max(100).default([]),
});

export type FaultRule = z.infer<typeof faultRuleSchema>;

/** What a fault may take. */
export interface FaultSubject {
	operation?: string;
	workspace?: string;
	text?: string;
	mode?: string;
	model?: string;
	event?: string;
}

interface Active {
	rule: FaultRule;
	seen: number;
	hits: number;
}

/**
 * The faults that are switched on. A rule's draws depend on the seed and on how many it has seen.
 */
export class Faults {
	private active: Active[] = [];
	private kinds = new Set<FaultKind>();

	constructor(private readonly random: SeededRandom) {}

	/** Replaces all rules and resets their counts. Throws a ZodError. */
	replace(input: unknown): void {
		const { rules } = faultsSchema.parse(input);
		this.active = rules.map((rule) => ({ rule, seen: 0, hits: 0 }));
		this.kinds = new Set(rules.map(({ kind }) => kind));
	}

	/** The rules, with how many subjects each has seen and how often it applied. */
	list(): Array<FaultRule & { seen: number; hits: number }> {
		return this.active.map(({ rule, seen, hits }) => ({ ...rule, seen, hits }));
	}

	/** Uses up one application of the first rule of a kind for this subject, if any. */
	take(kind: FaultKind, subject: FaultSubject): FaultRule | undefined {
		if (!this.kinds.has(kind)) return undefined;
		for (const [index, each] of this.active.entries()) {
			if (each.rule.kind !== kind || !matches(each.rule, subject)) continue;
			each.seen += 1;
			if (each.seen <= each.rule.skip) continue;
			if (each.rule.times !== undefined && each.hits >= each.rule.times) continue;
			if (this.random.unit(`fault:${index}:${each.seen}`) >= each.rule.probability) continue;
			each.hits += 1;
			return each.rule;
		}
		return undefined;
	}
}

function matches(rule: FaultRule, subject: FaultSubject): boolean {
	const { operations, events, contains } = rule;
	if (operations && !operations.includes(subject.operation ?? '')) return false;
	if (events && !events.includes(subject.event ?? '')) return false;
	if (contains !== undefined && !subject.text?.includes(contains)) return false;
	return (['workspace', 'mode', 'model'] as const).every(
		(name) => rule[name] === undefined || rule[name] === subject[name],
	);
}
