import { z } from 'zod/v4';

import { LIMITS } from '../../contract';

const seconds = z
	.number()
	.min(0)
	.max(86_400 * 365);

/**
 * Everything that can be set at start and at run time. The settings whose comment names an open
 * point are fiction of the sandbox: the specification does not show the behaviour, and another
 * value is as right. Times are service seconds.
 */
export const settingsSchema = z.strictObject({
	/** How much faster than real time the service's time passes. */
	clockScale: z.number().positive().max(100_000).default(1),
	requestsPerMinute: z.number().int().min(1).default(LIMITS.requestsPerMinute),
	concurrentJobs: z.number().int().min(1).default(LIMITS.concurrentJobs),
	/** Credits that each workspace has at start; used at start and by a reset. */
	initialCredits: z.number().int().min(0).default(10_000),
	/** Open point 1: where the errors of a failed or partially completed generation stand. */
	errorsField: z.enum(['errors', 'error', 'outputs', 'none']).default('errors'),
	/** Open point 2: the model that takes custom voice ids. */
	cloningModel: z
		.enum(['service/speech-lite', 'vendor/partner/speech-2.8-turbo'])
		.default('vendor/partner/speech-2.8-turbo'),
	/**
	 * Open point 3: other names for the values of an agent run's status, for example `{queued:
	 * 'pending'}`.
	 */
	agentStatusNames: z.record(z.string(), z.string()).default({}),
	/** Open point 4: the name of the field with the credits charged for a voice. */
	voiceCreditsField: z.string().min(1).max(40).default('credits_charged'),
	/** Open point 5: limits of the design fields of a voice, in characters. */
	designLimits: z
		.strictObject({
			name: z.number().int().min(1).default(80),
			description: z.number().int().min(1).default(800),
			previewText: z.number().int().min(1).default(500),
		})
		.prefault({}),
	/** Open point 6: `schema` takes 1 to 5 images of a persona, `guide` 3 to 10. */
	personaImages: z.enum(['schema', 'guide']).default('schema'),
	/** Open point 7: the largest upload in bytes, and what content types begin with. */
	uploadBytes: z
		.number()
		.int()
		.min(1)
		.default(512 * 1024 * 1024),
	uploadTypes: z.array(z.string()).default([]),
	/** Open point 7: how long an upload address is good. */
	uploadSeconds: seconds.default(3600),
	/** Open point 8: `full` shows label, mode, kind and so on, `bare` little more than the id. */
	modelFields: z.enum(['full', 'name', 'bare']).default('full'),
	/** Open point 8: whether inputs and parameters that a model does not offer are refused. */
	modelChecks: z.boolean().default(true),
	/** Open point 9: the name of the field with a webhook's signing secret. */
	webhookSecretField: z.string().min(1).max(40).default('secret'),
	/** Open point 10: what PATCH /webhooks/{id} answers. */
	webhookUpdateStatus: z.union([z.literal(200), z.literal(204)]).default(200),
	/** Open point 11: the shape of an event's payload. */
	eventShape: z.enum(['nested', 'flat', 'bare']).default('nested'),
	/** Open point 12: pauses before each attempt of a delivery, and how long an attempt may take. */
	deliverySchedule: z.array(seconds).min(1).default([0, 5, 30, 120, 600, 3600]),
	deliveryTimeout: seconds.default(10),
	/** Open point 12: whether a redirect counts as success. */
	deliverySuccess: z.enum(['2xx', '2xx-3xx']).default('2xx'),
	/**
	 * Whether webhooks must be https, as the specification demands; `any` is for tests without TLS.
	 */
	webhookUrls: z.enum(['https', 'any']).default('https'),
	/** Open point 13: whether speech generations emit generation events. */
	speechEvents: z.boolean().default(true),
	/**
	 * Open point 13: whether a partially completed generation emits `completed`, `failed` or nothing.
	 */
	partialEvent: z.enum(['completed', 'failed', 'none']).default('completed'),
	/** Open point 14: what a delete answers besides the id. */
	deleteShape: z.enum(['deleted', 'empty']).default('deleted'),
	/** Open point 15: what GET /jobs/{id} asks of a key. */
	jobScope: z.enum(['any-read', 'generations:read', 'none']).default('any-read'),
	/** Open point 16: whether lists other than generations are paged. */
	paginateAll: z.boolean().default(false),
	/** Open point 17: the order of GET /generations within a page. */
	generationOrder: z.enum(['newest', 'oldest-in-page']).default('newest'),
	/** Open point 18: put before every `error.type`. */
	errorTypePrefix: z.string().max(40).default(''),
	/** Open point 19: what a 429 says about when to come again. */
	retryAfter: z.enum(['none', 'seconds', 'date']).default('none'),
	/** Open point 19: whether answers carry RateLimit-Limit, -Remaining and -Reset. */
	rateLimitHeaders: z.boolean().default(false),
	rateLimiter: z.enum(['sliding', 'fixed', 'token_bucket']).default('sliding'),
	/** Open point 21: which statuses are stored under an idempotency key besides 2xx. */
	idempotencyCaches: z.array(z.union([z.literal(400), z.literal(402)])).default([]),
	/** Open point 21: a key's second request with another body; the second of two at once. */
	idempotencyConflict: z.enum(['400', 'replay']).default('400'),
	idempotencyConcurrent: z.enum(['wait', '400']).default('wait'),
	idempotencySeconds: seconds.default(LIMITS.idempotencyHours * 3600),
	/** Open point 22: validity of signed links, and what an expired one answers. */
	signedSeconds: seconds.default(15 * 60),
	expiredStatus: z.union([z.literal(403), z.literal(410)]).default(403),
	/** Open point 22: how long outputs are kept; 0 means no limit. */
	retentionSeconds: seconds.default(0),
	/** Open point 23: whether speech jobs count as concurrent media jobs. */
	speechCounts: z.boolean().default(false),
	/** Open point 25: which http inputs are taken besides https ones. */
	httpInputs: z.enum(['own', 'all', 'none']).default('own'),
	/** Open point 26: what a repeat with the key of a failed generation gives. */
	idempotencyFailed: z.enum(['stored', 'new']).default('stored'),
	/** Whether unknown fields of bodies and queries are refused. */
	unknownFields: z.enum(['reject', 'ignore']).default('reject'),
	/** What a described persona without credits does: the table shows no 402 for POST /personas. */
	personaWithoutCredits: z.enum(['failed', '402']).default('failed'),
	/** How long a job takes, by kind; each job differs by up to `jobJitter` of it. */
	jobSeconds: z
		.strictObject({
			image: seconds.default(8),
			video: seconds.default(40),
			music: seconds.default(20),
			sfx: seconds.default(12),
			speech: seconds.default(12),
			persona: seconds.default(10),
			agentStep: seconds.default(10),
			voice: seconds.default(0),
		})
		.prefault({}),
	jobJitter: z.number().min(0).max(0.9).default(0.2),
});

export type Settings = z.infer<typeof settingsSchema>;
export type SettingsInput = z.input<typeof settingsSchema>;

/** Settings with every default filled in; throws a ZodError that names what is wrong. */
export function readSettings(input: SettingsInput = {}): Settings {
	return settingsSchema.parse(input);
}

/** Applies a change; nested groups change field by field. Throws a ZodError and changes nothing. */
export function patchSettings(current: Settings, change: unknown): Settings {
	const patch = z.record(z.string(), z.unknown()).parse(change);
	const merged: Record<string, unknown> = { ...current, ...patch };
	for (const group of ['designLimits', 'jobSeconds'] as const) {
		if (patch[group] && typeof patch[group] === 'object') {
			merged[group] = { ...current[group], ...patch[group] };
		}
	}
	return settingsSchema.parse(merged);
}
