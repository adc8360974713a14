import { z } from 'zod/v4';

import { LIMITS } from '../contract';
import { invalid } from './errors';
import { validate } from './http/validate';

const seconds = z
	.number()
	.min(0)
	.max(86_400 * 365);

const shape = {
	clockScale: z
		.number()
		.positive()
		.max(100_000)
		.default(1)
		.describe('How many times faster than life the service’s time passes'),
	requestsPerMinute: z
		.number()
		.int()
		.min(1)
		.default(LIMITS.requestsPerMinute)
		.describe('Requests a minute of each workspace; more are 429'),
	concurrentJobs: z
		.number()
		.int()
		.min(1)
		.default(LIMITS.concurrentJobs)
		.describe('Generations of a workspace that may run at once; more are 429'),
	initialCredits: z
		.number()
		.int()
		.min(0)
		.default(10_000)
		.describe('Credits of each workspace after a reset'),
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
		.prefault({})
		.describe('How long a job of each kind takes, in service seconds'),
	jobJitter: z
		.number()
		.min(0)
		.max(0.9)
		.default(0.2)
		.describe('By which share a job may be quicker or slower'),
	voices: z
		.number()
		.int()
		.min(1)
		.max(10_000)
		.default(12)
		.describe('Preset voices of each speech model'),
	modelChecks: z
		.boolean()
		.default(true)
		.describe('Refuse inputs and parameters that a model does not offer'),
	personaImages: z
		.enum(['schema', 'guide'])
		.default('schema')
		.describe('How many images a persona takes: 1 to 5 (schema) or 3 to 10 (guide)'),
	agentStatusNames: z
		.record(z.string(), z.string())
		.default({})
		.describe('Other names for the states of an agent run, such as {"queued": "pending"}'),
	paginateAll: z.boolean().default(false).describe('Page all lists, not generations alone'),
	retryAfter: z
		.enum(['none', 'seconds', 'date'])
		.default('none')
		.describe('What a 429 says about when to come again'),
	eventShape: z.enum(['nested', 'flat', 'bare']).default('nested').describe('Payload of an event'),
	speechEvents: z.boolean().default(true).describe('Send events for speech, too'),
	deliverySchedule: z
		.array(seconds)
		.min(1)
		.default([0, 5, 30, 120, 600, 3600])
		.describe('Pauses before each attempt of a delivery, in service seconds'),
};

/** Everything that can be set, at start and at run time. */
export const settingsSchema = z.strictObject(shape);

export type Settings = z.infer<typeof settingsSchema>;
export type SettingsInput = z.input<typeof settingsSchema>;

/** Settings with every default filled in; throws an ApiError that names what is wrong. */
export function readSettings(input: object = {}): Settings {
	const unknown = Object.keys(input).find((name) => !Object.hasOwn(shape, name));
	if (unknown === undefined) return validate(settingsSchema, input);
	throw invalid(unknown, `is not a setting; there are ${Object.keys(shape).join(', ')}`);
}

/** Applies a change; `jobSeconds` changes field by field. Throws, and changes nothing. */
export function patchSettings(current: Settings, change: Record<string, unknown>): Settings {
	const { jobSeconds } = change;
	const isGroup = typeof jobSeconds === 'object' && jobSeconds !== null;
	const group = isGroup ? { jobSeconds: { ...current.jobSeconds, ...jobSeconds } } : {};
	return readSettings({ ...current, ...change, ...group });
}
