import { z } from 'zod/v4';

import { validate } from './http/validate';
import type { SeededRandom } from './ids';

/** What can be made to go wrong, and what the page calls it; in the order of a request's way. */
export const FAULT_NAMES = {
	lost_before: 'Lose a request before anything is done',
	lost_after: 'Lose an answer after the work is done',
	status_before: 'Answer an error, and do nothing',
	status_after: 'Answer an error, though the work is done',
	storm: 'Refuse: too many requests (429)',
	slow: 'Answer late',
	truncate: 'Cut an answer in half',
	job_fail: 'Let jobs fail',
	job_partial: 'Let jobs lose their last output',
	expired_link: 'Refuse a download: the link has expired',
	cut_download: 'Cut a download in half',
	delivery_duplicate: 'Deliver an event twice',
	delivery_reorder: 'Deliver an event after the next one',
	delivery_lose: 'Lose an event',
	delivery_delay: 'Deliver an event late',
	delivery_tamper: 'Change an event on its way',
} as const;
export type FaultKind = keyof typeof FAULT_NAMES;
export const FAULT_KINDS = Object.keys(FAULT_NAMES) as FaultKind[];

const faultRuleSchema = z.strictObject({
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

	constructor(private readonly random: SeededRandom) {}

	/** Replaces all rules and resets their counts. Throws, and keeps them. */
	replace(input: unknown): void {
		const { rules } = validate(faultsSchema, input);
		this.active = rules.map((rule) => ({ rule, seen: 0, hits: 0 }));
	}

	/** The rules, with how many subjects each has seen and how often it applied. */
	list(): Array<FaultRule & { seen: number; hits: number }> {
		return this.active.map(({ rule, seen, hits }) => ({ ...rule, seen, hits }));
	}

	/** Uses up one application of the first rule of a kind for this subject, if any. */
	take(kind: FaultKind, subject: FaultSubject): FaultRule | undefined {
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
