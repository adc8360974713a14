import { z } from 'zod/v4';

import {
	AGENT_PRIORITIES,
	DELIVERIES,
	DIRECTION_STRATEGIES,
	EVENTS,
	GENERATION_MODES,
	LIMITS,
	MODEL_MODES,
	MULTI_ITEM_SLOTS,
	REVIEW_DECISIONS,
	SINGLE_ITEM_SLOTS,
	SPEECH_MODELS,
	type EndpointName,
	type InputSlot,
} from '../src/api';
import { countCharacters } from './credits/prices';
import { readInstant } from './http/instant';

/** What a text must be besides within its lengths. */
interface Form {
	good: (value: string) => boolean;
	error: string;
}

/** Text within a range of lengths; a character is a code point, as in JSON Schema. */
function text(min: number, max?: number, form: Form = { good: () => true, error: '' }) {
	const parts = [
		...(min > 0 ? [min === 1 ? 'must not be empty' : `must be at least ${min} characters`] : []),
		...(max === undefined ? [] : [`must be at most ${max} characters`]),
	];
	return z
		.string()
		.refine((value) => within(countCharacters(value), min, max), { error: parts.join(' and ') })
		.refine(form.good, { error: form.error })
		.meta({ ...(min > 0 && { minLength: min }), ...(max !== undefined && { maxLength: max }) });
}

function within(count: number, min: number, max = Infinity): boolean {
	return count >= min && count <= max;
}

const LONGEST_URI = 8_192;

/** The characters of RFC 3986: others stand percent-encoded. */
const URI_CHARACTERS = /^([\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9a-f]{2})*$/i;

const isUri = (value: string) => URI_CHARACTERS.test(value) && URL.canParse(value);

/** An absolute URI of at most 8,192 characters. */
const uri = text(0, LONGEST_URI, {
	good: isUri,
	error: 'must be an absolute URI',
}).meta({ format: 'uri' });

const httpsUri = text(0, LONGEST_URI, {
	good: (value) => value.startsWith('https://') && isUri(value),
	error: 'must be an absolute URI that matches ^https://',
}).meta({ format: 'uri', pattern: '^https://' });

/** A date-time as in RFC 3339, read as wall-clock milliseconds. */
const dateTime = z
	.string()
	.refine((value) => !Number.isNaN(readInstant(value)), {
		error: 'must be a date-time such as 2026-01-31T12:00:00Z',
	})
	.meta({ format: 'date-time' })
	.transform(readInstant);

/** A whole number in a query, where everything is text. */
function queryInteger(min: number, max: number) {
	return z
		.string()
		.refine((value) => /^\d{1,9}$/.test(value) && within(Number(value), min, max), {
			error: `must be a whole number from ${min} to ${max}`,
		})
		.meta({ type: 'integer', minimum: min, maximum: max })
		.transform(Number);
}

/**
 * Query of a list. Specification: Operation details, GET /generations; other lists take the same
 * (open point 16).
 */
const list = {
	query: z.strictObject({
		limit: queryInteger(LIMITS.listLimit.min, LIMITS.listLimit.max).optional(),
		cursor: dateTime.optional(),
	}),
};

const between = (bounds: { min: number; max: number }) =>
	z.number().min(bounds.min).max(bounds.max).optional();

function isPlainName(name: string): boolean {
	return !/[/\\\p{Cc}]/u.test(name) && name !== '.' && name !== '..';
}

const delivery = z.enum(DELIVERIES).optional();
const many = z.array(uri).optional();
const single = z.array(uri).max(LIMITS.singleItemSlot.max).optional();

const input = z.strictObject({
	...Object.fromEntries(MULTI_ITEM_SLOTS.map((slot) => [slot, many])),
	...Object.fromEntries(SINGLE_ITEM_SLOTS.map((slot) => [slot, single])),
} as Record<InputSlot, typeof many>);

const maxCredits = z.number().int().min(LIMITS.agentMaxCredits.min);
const voiceName = text(1, LIMITS.voiceCloneName.max);
const persona = { name: text(1, LIMITS.personaName.max), shared: z.boolean().optional() };

const webhook = z.strictObject({
	url: httpsUri,
	description: text(0, 1_000).optional(),
	events: z.array(z.enum(EVENTS)).min(LIMITS.webhookEvents.min),
});

const LARGEST_UPLOAD = 512 * 1024 * 1024;

interface RequestSchemas {
	body?: z.ZodType;
	query?: z.ZodObject;
}

/** A plan that can be carried out; open point 3: its structure is fiction. Other fields are kept. */
export const planSchema = z.looseObject({
	steps: z
		.array(
			z.looseObject({
				id: text(1),
				kind: z.enum(['image', 'video', 'music', 'speech']),
				prompt: text(LIMITS.promptLength.min, LIMITS.promptLength.max),
				estimated_credits: z.number().int().min(0),
			}),
		)
		.min(1)
		.max(50),
});
export type AgentPlan = z.infer<typeof planSchema>;

/**
 * What an operation takes as its body and in its query; one that is not named takes neither.
 * Specification: Resources and their fields; Operation details.
 */
const REQUESTS = {
	listModels: { query: z.strictObject({ mode: z.enum(MODEL_MODES).optional() }) },
	/** The bounds are fiction (open point 7). */
	createFile: {
		body: z.strictObject({
			filename: text(1, 255, {
				good: isPlainName,
				error: 'must be a name without a path or control characters',
			}),
			content_type: z
				.string()
				.max(255)
				.regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\x20-\x7e]*)?$/, {
					error: 'must be a media type such as image/png',
				}),
			size: z.number().int().min(1).max(LARGEST_UPLOAD),
		}),
	},
	createGeneration: {
		body: z.strictObject({
			mode: z.enum(GENERATION_MODES),
			model: text(1),
			prompt: text(LIMITS.promptLength.min, LIMITS.promptLength.max),
			persona_id: z.guid().optional(),
			input: input.optional(),
			parameters: z
				.strictObject({
					count: z.number().int().min(LIMITS.count.min).max(LIMITS.count.max).optional(),
					size: z.string().optional(),
					aspect_ratio: z.string().optional(),
					quality: z.string().optional(),
					duration: z.string().optional(),
					resolution: z.string().optional(),
					voice: z.string().optional(),
					speed: z.string().optional(),
					loop: z.boolean().optional(),
					lyrics: z.string().optional(),
					language_boost: z.string().optional(),
				})
				.optional(),
			delivery,
		}),
	},
	listGenerations: list,
	createSpeech: {
		body: z.strictObject({
			model: z.enum(SPEECH_MODELS),
			blocks: z
				.array(z.strictObject({ text: text(1), voice: z.string().nullish() }))
				.min(LIMITS.speechBlocks.min)
				.max(LIMITS.speechBlocks.max),
			settings: z
				.strictObject({
					volume: between(LIMITS.speechVolume),
					speed: between(LIMITS.speechSpeed),
					loudness_normalization: z.boolean().optional(),
					text_normalization: z.boolean().optional(),
					tag_compatible: z.boolean().optional(),
				})
				.optional(),
			delivery,
		}),
	},
	createAgentRun: {
		body: z.strictObject({
			brief: text(1),
			source_images: z.array(uri).max(LIMITS.agentSourceImages.max).optional(),
			priority: z.enum(AGENT_PRIORITIES).optional(),
			direction_strategy: z.enum(DIRECTION_STRATEGIES).optional(),
			auto_approve: z.boolean().optional(),
			max_credits: maxCredits.optional(),
		}),
	},
	listAgentRuns: list,
	approveAgentRun: {
		body: z.strictObject({
			max_credits: maxCredits,
			plan: z.record(z.string(), z.unknown()).optional(),
		}),
	},
	reviewAgentRun: { body: z.strictObject({ decision: z.enum(REVIEW_DECISIONS) }) },
	/**
	 * The limits of the design fields are not shown (open point 5): they are those of clones and personas.
	 */
	createVoice: {
		body: z.discriminatedUnion('kind', [
			z.strictObject({
				kind: z.literal('clone'),
				name: voiceName,
				audio_url: uri,
				preview_text: text(0, LIMITS.voiceClonePreviewText.max).optional(),
				noise_reduction: z.boolean().optional(),
				volume_normalization: z.boolean().optional(),
			}),
			z.strictObject({
				kind: z.literal('design'),
				name: voiceName,
				description: text(1, 800),
				preview_text: text(0, 500).optional(),
			}),
		]),
	},
	listVoices: list,
	listPresetVoices: {
		query: z.strictObject({
			model: z.enum(SPEECH_MODELS).optional(),
			language: z.string().optional(),
			gender: z.string().optional(),
			search: z.string().optional(),
		}),
	},
	renameVoice: { body: z.strictObject({ name: voiceName }) },
	/** A setting narrows the bounds of the images (open point 6). */
	createPersona: {
		body: z.discriminatedUnion('source', [
			z.strictObject({
				source: z.literal('upload'),
				name: persona.name,
				reference_images: z.array(uri).min(1).max(10),
				shared: persona.shared,
			}),
			z.strictObject({
				source: z.literal('describe'),
				name: persona.name,
				description: text(1, LIMITS.personaDescription.max),
				shared: persona.shared,
			}),
		]),
	},
	listPersonas: list,
	updatePersona: { body: z.strictObject(persona).partial() },
	getUsage: { query: z.strictObject({ since: dateTime.optional() }) },
	createWebhook: { body: webhook },
	listWebhooks: list,
	/** Open point 10: its shape is not shown. */
	updateWebhook: { body: webhook.partial() },
	listDeliveries: list,
} satisfies Partial<Record<EndpointName, RequestSchemas>>;

type Requests = typeof REQUESTS;

/** What an operation is given as `body` or `query`: nothing where it takes none. */
export type Given<
	Name extends EndpointName,
	Part extends 'body' | 'query' = 'body',
> = Name extends keyof Requests
	? Requests[Name] extends Record<Part, infer Schema extends z.ZodType>
		? z.output<Schema>
		: undefined
	: undefined;

/** The schemas of an operation's request: both empty where it takes nothing. */
export function requestOf(name: EndpointName): RequestSchemas {
	const all: Partial<Record<EndpointName, RequestSchemas>> = REQUESTS;
	return all[name] ?? {};
}
