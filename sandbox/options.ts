import { z } from 'zod/v4';

import { validate } from './http/validate';
import { readSettings, type Settings, type SettingsInput } from './settings';

/** The origin of an address at which the sandbox can be; `undefined` where something of it would be dropped. */
function originOf(publicUrl: string): string | undefined {
	const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined;
	if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
	// The base URL is accepted for the address that it is below.
	const isBare = [url.origin, `${url.origin}/v1`].includes(url.href.replace(/\/$/, ''));
	return isBare ? url.origin : undefined;
}

const schema = z.strictObject({
	/** 0 picks a free one. */
	port: z.int().min(0).max(65_535).default(0),
	/** A name or address of this machine to listen at; only this machine by default. */
	host: z
		.string()
		.regex(/^[\w.:-]+$/, { error: 'must be a name or an IP address, such as 0.0.0.0' })
		.default('127.0.0.1'),
	/** The same seed gives the same ids, durations, media and faults. Default: random. */
	seed: z.int().optional(),
	/** Where addresses in answers point to if others know the sandbox by another address. */
	publicUrl: z
		.string()
		.refine(originOf, {
			error:
				'must be http:// or https:// and a host, without a path, such as https://media.example.com',
		})
		.transform(originOf)
		.optional(),
	/** Keeps state over restarts in this directory. Default: in memory. */
	data: z.string().min(1).optional(),
});

/** What a sandbox may be told from outside, whoever starts it. */
export type StartOptions = z.input<typeof schema> & {
	/** Any of the settings, for example `{clockScale: 60, concurrentJobs: 2}`. */
	settings?: SettingsInput;
};

/** The options with their defaults. Throws an ApiError that names what is wrong. */
export function readOptions(given: StartOptions): z.infer<typeof schema> & { settings: Settings } {
	const { settings, ...rest } = given;
	return { ...validate(schema, rest, 'options'), settings: readSettings(settings) };
}
