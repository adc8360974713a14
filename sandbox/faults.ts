import { z } from 'zod/v4';

import { ENDPOINTS, EVENTS, GENERATION_MODES, type EndpointName } from '../src/api';
import { validate } from './http/validate';
import type { SeededRandom } from './ids';

const oneOf = <const Values extends readonly string[]>(values: Values) =>
	z.enum(values, { error: `must be one of ${values.join(', ')}` });

const name = z.string().min(1).max(200);

/** What every rule may have. */
const common = {
	/** What people call it; the rules of a scene have that of the scene. */
	name: name.optional(),
	workspace: name.optional(),
	/** How many matching ones pass first. */
	skip: z.int().min(0).default(0),
	/** Applies at most this often; unlimited if left out. */
	times: z.int().min(0).optional(),
	probability: z.number().min(0).max(1).default(1),
};

/** Which requests: names of operations as in the contract; all when left out. */
const requests = {
	operations: z.array(oneOf(Object.keys(ENDPOINTS) as EndpointName[])).optional(),
};

/** All readings of outputs, which are no operation of the contract. */
const downloads = { operations: z.array(oneOf(['readOutput'])).optional() };

/** Where files lie; no operations of the contract, and no key comes along. */
export const STORAGE = ['upload', 'readFile', 'readOutput', 'readSample'] as const;
const files = { operations: z.array(oneOf(STORAGE)).optional() };

/** Which jobs. */
const jobs = {
	/** What the prompt, brief, text or name contains. */
	contains: z.string().optional(),
	mode: oneOf([...GENERATION_MODES, 'speech', 'agent', 'persona']).optional(),
	model: name.optional(),
};

/** Which deliveries: kinds of events. */
const deliveries = { events: z.array(oneOf(EVENTS)).optional() };

/** The Retry-After header as it is sent, for example `2`, `-1`, `NaN`, a date. */
const retryAfter = z
	.string()
	.regex(/^[\x20-\x7e]{0,200}$/, { error: 'must be one line of at most 200 printable characters' })
	.optional();
/** What is answered. */
const status = z.int().min(400).max(599).default(503);
/** Seconds of the service, at most a year. */
const seconds = z
	.number()
	.min(0)
	.max(86_400 * 365)
	.default(5);

function rule<Kind extends string, Fields extends z.core.$ZodLooseShape>(
	kind: Kind,
	name: string,
	fields: Fields,
) {
	return z.strictObject({ kind: z.literal(kind), ...common, ...fields }).describe(name);
}

/**
 * Each kind of fault, what the page calls it, what it can strike, and what it needs to know; in the order of
 * a request's way.
 */
const RULES = [
	rule('lost_before', 'Lose a request before anything is done', requests),
	rule('lost_after', 'Lose an answer after the work is done', requests),
	rule('status_before', 'Answer an error, and do nothing', { ...requests, status, retryAfter }),
	rule('status_after', 'Answer an error, though the work is done', {
		...requests,
		status,
		retryAfter,
	}),
	rule('storm', 'Refuse: too many requests (429)', { ...requests, retryAfter }),
	rule('slow', 'Answer late', { ...requests, seconds }),
	rule('truncate', 'Cut an answer in half', requests),
	/** Added to its time. */
	rule('job_slow', 'Let jobs take longer', { ...jobs, seconds: seconds.default(600) }),
	rule('job_fail', 'Let jobs fail', jobs),
	rule('job_partial', 'Let jobs lose their last output', jobs),
	/** While it is under way, or when it has ended, for which there is no event then. */
	rule('job_status', 'Give jobs a status that no document names', {
		...jobs,
		status: name.default('canceled'),
		when: oneOf(['running', 'ended']).default('ended'),
	}),
	rule('expired_link', 'Refuse a download: the link has expired', downloads),
	/** The bytes that are sent before the cut; half when left out. */
	rule('cut_download', 'Cut a download in half', {
		...downloads,
		bytes: z.int().min(0).optional(),
	}),
	/** Like the storages that services have their files in, which answer in XML. */
	rule('storage_status', 'Let the storage answer an error', {
		...files,
		status: status.default(400),
		code: z
			.string()
			.regex(/^[A-Za-z]{1,80}$/, { error: 'must be 1 to 80 letters' })
			.default('ExpiredToken'),
	}),
	/** What it sends or takes flows for so long. */
	rule('storage_slow', 'Let the storage be slow', { ...files, seconds: seconds.default(60) }),
	/** The bytes of a download that it sends before. */
	rule('storage_deaf', 'Let the storage fall silent', {
		...files,
		bytes: z.int().min(0).default(0),
	}),
	/** Deliveries more than one. */
	rule('delivery_duplicate', 'Deliver an event twice', {
		...deliveries,
		copies: z.int().min(1).max(20).default(1),
	}),
	rule('delivery_reorder', 'Deliver an event after the next one', { ...deliveries, seconds }),
	rule('delivery_lose', 'Lose an event', deliveries),
	rule('delivery_delay', 'Deliver an event late', { ...deliveries, seconds }),
	rule('delivery_tamper', 'Change an event on its way', deliveries),
] as const;

/** What the page calls each kind. */
export const FAULT_NAMES = Object.fromEntries(
	RULES.map(({ shape, description }) => [shape.kind.value, description]),
);

/** Operations that make something, most of them for credits. */
const CREATIONS = Object.entries(ENDPOINTS)
	.filter(([, { does }]) => does === 'creates')
	.map(([operation]) => operation);

const UNAVAILABLE = { status: 503 };

/** What people rehearse most, each with what it does and the rules that make it so. */
export const SCENES: Array<{ name: string; note: string; rules: object[] }> = [
	{
		name: '429 storm',
		note: 'Every request is refused, and asked to come again in two seconds',
		rules: [{ kind: 'storm', retryAfter: '2' }],
	},
	{
		name: 'Outage',
		note: 'Every request and every file is answered with 503',
		rules: [
			{ kind: 'status_before', ...UNAVAILABLE },
			{ kind: 'storage_status', ...UNAVAILABLE, code: 'ServiceUnavailable' },
		],
	},
	{
		name: 'Lost answer',
		note: 'The next request that makes something is carried out, and its answer is lost',
		rules: [{ kind: 'lost_after', operations: CREATIONS, times: 1 }],
	},
	{
		name: 'Slow jobs',
		note: 'New jobs take ten minutes longer, of the service’s time',
		rules: [{ kind: 'job_slow' }],
	},
	{
		name: 'Expired links',
		note: 'No file that was made can be downloaded',
		rules: [{ kind: 'expired_link' }],
	},
];

const faultRuleSchema = z.discriminatedUnion('kind', RULES, {
	error: `must be one of ${Object.keys(FAULT_NAMES).join(', ')}`,
});

const faultsSchema = z.strictObject({
	rules: z.array(faultRuleSchema).max(100).default([]),
});

type FaultRule = z.infer<typeof faultRuleSchema>;
export type FaultKind = FaultRule['kind'];
type RuleOf<Kind extends FaultKind> = Extract<FaultRule, { kind: Kind }>;

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
	take<Kind extends FaultKind>(kind: Kind, subject: FaultSubject): RuleOf<Kind> | undefined {
		for (const [index, each] of this.active.entries()) {
			if (each.rule.kind !== kind || !matches(each.rule, subject)) continue;
			each.seen += 1;
			if (each.seen <= each.rule.skip) continue;
			if (each.rule.times !== undefined && each.hits >= each.rule.times) continue;
			if (this.random.unit(`fault:${index}:${each.seen}`) >= each.rule.probability) continue;
			each.hits += 1;
			return each.rule as RuleOf<Kind>;
		}
		return undefined;
	}
}

/** What a rule of any kind may ask of its subject. */
type Conditions = Partial<Record<'operations' | 'events', string[]>> &
	Partial<Record<'contains' | 'workspace' | 'mode' | 'model', string>>;

function matches(conditions: Conditions, subject: FaultSubject): boolean {
	const { operations, events, contains } = conditions;
	if (operations && !operations.includes(subject.operation ?? '')) return false;
	if (events && !events.includes(subject.event ?? '')) return false;
	if (contains !== undefined && !subject.text?.includes(contains)) return false;
	return (['workspace', 'mode', 'model'] as const).every(
		(field) => conditions[field] === undefined || conditions[field] === subject[field],
	);
}
