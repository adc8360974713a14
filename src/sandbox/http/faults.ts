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
	/** Strikes at most so often; without a bound when left out. */
	times: z.number().int().min(0).optional(),
	probability: z.number().min(0).max(1).default(1),
	/** `status_*`: what is answered. */
	status: z.number().int().min(400).max(599).default(503),
	/** `storm`, `status_*`: the Retry-After header as it is sent, for example `2`, `-1`, `NaN`, a date. */
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

/** What a fault may strike. */
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

/** The faults that are switched on. A rule's draws depend on the seed and on how many it has seen. */
export class Faults {
	private active: Active[] = [];
	private kinds = new Set<FaultKind>();

	constructor(private readonly random: SeededRandom) {}

	/** Replaces all rules; counts begin anew. Throws a ZodError. */
	replace(input: unknown): void {
		const { rules } = faultsSchema.parse(input);
		this.active = rules.map((rule) => ({ rule, seen: 0, hits: 0 }));
		this.kinds = new Set(rules.map(({ kind }) => kind));
	}

	/** The rules with how many subjects each has seen and struck. */
	list(): Array<FaultRule & { seen: number; hits: number }> {
		return this.active.map(({ rule, seen, hits }) => ({ ...rule, seen, hits }));
	}

	/** The first rule of a kind that strikes this subject, if any. */
	strike(kind: FaultKind, subject: FaultSubject): FaultRule | undefined {
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
