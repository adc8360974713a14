import { z } from 'zod/v4';

import { LIMITS } from '../src/api';
import { AGENT_STATUSES } from './entities';
import { EVENT_SHAPES } from './eventShapes';
import { validate } from './http/validate';

const seconds = z
	.number()
	.min(0)
	.max(86_400 * 365);
const whole = (low: number, usual: number, high = 1e9) =>
	z.number().int().min(low).max(high).default(usual);
const choice = <const T extends readonly string[]>(...values: T) =>
	z.enum(values).default(values[0] as T[number]);

const shape = {
	clockScale: z.number().positive().max(100_000).default(1),
	requestsPerMinute: whole(1, LIMITS.requestsPerMinute),
	concurrentJobs: whole(1, LIMITS.concurrentJobs),
	initialCredits: whole(0, 10_000),
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
	voices: whole(1, 12, 10_000),
	catalogueOrder: choice('usual', 'reversed'),
	retiredModels: z.array(z.string().min(1).max(200)).max(100).default([]),
	modelChecks: z.boolean().default(true),
	strictFields: z.boolean().default(false),
	personaImages: choice('schema', 'guide'),
	agentStatusNames: z.partialRecord(z.enum(AGENT_STATUSES), z.string().min(1).max(80)).default({}),
	paginateAll: z.boolean().default(false),
	retryAfter: choice('none', 'seconds', 'date'),
	eventShape: choice(...EVENT_SHAPES),
	speechEvents: z.boolean().default(true),
	deliverySchedule: z.array(seconds).min(1).max(100).default([0, 5, 30, 120, 600, 3600]),
};

/** What each setting decides, as the page says it. */
export const SETTING_NOTES: Record<keyof typeof shape, string> = {
	clockScale: 'How many times faster than life the service’s time passes',
	requestsPerMinute: 'Requests a minute of each workspace; more are 429',
	concurrentJobs: 'Generations of a workspace that may run at once; more are 429',
	initialCredits: 'Credits of each workspace after a reset',
	jobSeconds: 'How long a job of each kind takes, in service seconds',
	jobJitter: 'By which share a job may be quicker or slower',
	voices: 'Preset voices of each speech model',
	catalogueOrder: 'Order of models and preset voices',
	retiredModels: 'Models that the catalogue has no longer, such as ["studio/image-1"]',
	modelChecks: 'Refuse inputs and parameters that a model does not offer',
	strictFields: 'Refuse fields that the contract does not name, instead of ignoring them',
	personaImages: 'How many images a persona takes: 1 to 5 (schema) or 3 to 10 (guide)',
	agentStatusNames: 'Other names for the states of an agent run, such as {"queued": "pending"}',
	paginateAll: 'Page all lists, not generations alone',
	retryAfter: 'What a 429 says about when to come again',
	eventShape: 'Payload of an event',
	speechEvents: 'Send events for speech, too',
	deliverySchedule: 'Pauses before each attempt of a delivery, in service seconds',
};

/** Everything that can be set, at start and at run time. */
export const settingsSchema = z.strictObject(shape);

export type Settings = z.infer<typeof settingsSchema>;
export type SettingsInput = z.input<typeof settingsSchema>;

/** Settings with every default filled in; throws an ApiError that names what is wrong. */
export const readSettings = (input: unknown = {}): Settings =>
	validate(settingsSchema, input, 'settings');

const changeSchema = z.looseObject({ jobSeconds: z.looseObject({}).default({}) });

/** Applies a change; `jobSeconds` changes field by field. Throws, and changes nothing. */
export function patchSettings(current: Settings, change: unknown): Settings {
	const given = validate(changeSchema, change, 'settings');
	const jobSeconds = { ...current.jobSeconds, ...given.jobSeconds };
	return readSettings({ ...current, ...given, jobSeconds });
}
