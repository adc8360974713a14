import { z } from 'zod/v4';

import { validate } from './http/validate';
import { readSettings, type Settings, type SettingsInput } from './settings';

/** Whether it is an address at which the sandbox can be, of which nothing would be dropped. */
function isOrigin(text: string): boolean {
	const { protocol = '', origin } = URL.canParse(text) ? new URL(text) : {};
	return /^https?:$/.test(protocol) && [origin, `${origin}/`].includes(text);
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
		.refine(isOrigin, {
			error:
				'must be http:// or https:// and a host, without a path, such as https://media.example.com',
		})
		.transform((text) => new URL(text).origin)
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
