import { z } from 'zod/v4';

import { invalid } from './errors';
import { validate } from './http/validate';
import { readSettings, type Settings, type SettingsInput } from './settings';

/** What a sandbox may be told from outside, whoever starts it. */
export interface StartOptions {
	/** 0 (the default) picks a free one. */
	port?: number;
	/** A name or address of this machine to listen at; only this machine by default. */
	host?: string;
	/** The same seed gives the same ids, durations, media and faults. Default: random. */
	seed?: number;
	/** Any of the settings, for example `{clockScale: 60, concurrentJobs: 2}`. */
	settings?: SettingsInput;
	/** Where addresses in answers point to if others know the sandbox by another address. */
	publicUrl?: string;
	/** Keeps state over restarts in this directory. Default: in memory. */
	data?: string;
}

const schema = z.strictObject({
	port: z.int().min(0).max(65_535).default(0),
	host: z
		.string()
		.regex(/^[\w.:-]+$/, { error: 'must be a name or an IP address, such as 0.0.0.0' })
		.default('127.0.0.1'),
	seed: z.int().optional(),
	publicUrl: z.string().optional(),
	data: z.string().min(1).optional(),
});

/** The base URL is accepted for the address that it is below. */
const PATHS = ['/', '/v1', '/v1/'];

/** The origin of an address at which the sandbox can be. 400 for what would be dropped of it. */
function originOf(publicUrl: string): string {
	const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined;
	const isWeb = url !== undefined && ['http:', 'https:'].includes(url.protocol);
	const isBare = isWeb && !url.username && !url.password && !url.search && !url.hash;
	if (isBare && PATHS.includes(url.pathname)) return url.origin;
	throw invalid(
		'publicUrl',
		'must be http:// or https:// and a host, without a path, such as https://media.example.com',
	);
}

/** The options with their defaults. Throws an ApiError that names what is wrong. */
export function readOptions(given: StartOptions): z.infer<typeof schema> & { settings: Settings } {
	const { settings, ...rest } = given;
	const options = validate(schema, rest, 'options');
	const publicUrl = options.publicUrl === undefined ? undefined : originOf(options.publicUrl);
	return { ...options, publicUrl, settings: readSettings(settings) };
}
