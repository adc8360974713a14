/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import { parseArgs } from 'util';

import { ApiError } from './errors';
import type { StartOptions } from './options';
import type { Sandbox } from './server';
import type { SettingsInput } from './settings';

/** A wrong command line, in words for who typed it. */
export class UsageError extends Error {}

/** One option: what follows its name, what it is for, and how its text is read. */
interface Declared {
	/** Missing where the name alone is meant. */
	argument?: string;
	note: string;
	/** The part of the start options that a text stands for; the options themselves judge it. */
	read?: (text: string) => StartOptions;
}

/** All options. The usage, the parser and the names in errors are made from them. */
const OPTIONS: Record<string, Declared> = {
	port: {
		argument: 'N',
		note: 'port to listen at (default 4010; 0 picks a free one)',
		read: (text) => ({ port: numberOf(text) }),
	},
	host: {
		argument: 'HOST',
		note: 'address to listen at (default 127.0.0.1: this machine only)',
		read: (host) => ({ host }),
	},
	'public-url': {
		argument: 'URL',
		note: 'where addresses in answers point to, if others know the sandbox by it',
		read: (publicUrl) => ({ publicUrl }),
	},
	'clock-scale': {
		argument: 'N',
		note: "how many times faster than life the service's time passes (default 1)",
		read: (text) => ({ settings: { clockScale: numberOf(text) } }),
	},
	seed: {
		argument: 'N',
		note: 'repeats a run: ids, durations, media, faults (default: random)',
		read: (text) => ({ seed: numberOf(text) }),
	},
	data: {
		argument: 'DIR',
		note: 'keeps the state over restarts in this directory (default: in memory)',
		read: (data) => ({ data }),
	},
	settings: {
		argument: 'JSON',
		note: 'any settings, for example \'{"eventShape": "flat"}\'',
		read: (text) => ({ settings: jsonOf(text) as SettingsInput }),
	},
	json: { note: 'prints one line of JSON when it is ready' },
	help: { note: 'shows this' },
};

export interface CommandLine {
	help: boolean;
	json: boolean;
	start: StartOptions;
}

/** Reads the command line. Throws a UsageError. */
export function readCommandLine(args: string[]): CommandLine {
	const given = parse(args);
	const start: StartOptions = { port: 4010 };
	for (const [name, value] of Object.entries(given)) {
		const { read } = OPTIONS[name] ?? {};
		if (!read || typeof value !== 'string') continue;
		const { settings, ...rest } = readText(name, value, read);
		Object.assign(start, rest);
		if (settings !== undefined) start.settings = merged(start.settings, settings);
	}
	return { help: given.help === true, json: given.json === true, start };
}

function parse(args: string[]): Record<string, string | boolean | undefined> {
	const options = Object.fromEntries(
		Object.entries(OPTIONS).map(([name, { argument }]) => {
			const type = argument === undefined ? 'boolean' : 'string';
			return [name, { type } as const];
		}),
	);
	try {
		return parseArgs({ args, options }).values;
	} catch (error) {
		// What follows the first sentence is advice for other programs.
		throw new UsageError((error as Error).message.split('. ')[0]);
	}
}

function readText(name: string, text: string, read: (text: string) => StartOptions): StartOptions {
	if (text.trim() === '') throw new UsageError(`--${name} needs a value`);
	try {
		return read(text);
	} catch (error) {
		throw new UsageError(`--${name}: ${(error as Error).message}`);
	}
}

/** Of two options that say something of the settings, neither is lost; a wrong one is kept as it is. */
function merged(before: SettingsInput | undefined, more: SettingsInput): SettingsInput {
	const isObject = typeof more === 'object' && more !== null && !Array.isArray(more);
	return isObject ? { ...before, ...more } : more;
}

/** Decimal digits only: what else JavaScript takes for a number is a slip of the finger here. */
function numberOf(text: string): number {
	if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
	throw new Error(`must be a number, not ${JSON.stringify(text)}`);
}

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw new Error(`must be JSON, not ${text}`);
	}
}

/** The option that a part of the start options comes from; a setting that has none is of `--settings`. */
function optionOf(field: string): string {
	if (field === 'publicUrl') return '--public-url';
	if (field === 'clockScale') return '--clock-scale';
	return Object.hasOwn(OPTIONS, field) ? `--${field}` : `--settings: ${field}`;
}

/** Starts the sandbox; what is wrong with the options is told by their names on the command line. */
export async function startFrom(start: StartOptions): Promise<Sandbox> {
	// Not before: a wrong command line is reported at once.
	const { createSandbox } = await import('./server');
	return await createSandbox(start).catch((error) => {
		throw error instanceof ApiError ? inOptions(error) : error;
	});
}

function inOptions({ details }: ApiError): UsageError {
	const { issues } = details as { issues: Array<{ field: string; message: string }> };
	return new UsageError(
		issues.map(({ field, message }) => `${optionOf(field)}: ${message}`).join('\n'),
	);
}

/** How the program is called, and with what. */
export function usage(program: string): string {
	const names = Object.entries(OPTIONS).map(([name, { argument, note }]) => ({
		name: [`--${name}`, argument].filter(Boolean).join(' '),
		note,
	}));
	const width = Math.max(...names.map(({ name }) => name.length));
	const lines = names.map(({ name, note }) => `  ${name.padEnd(width)}  ${note}`);
	return [
		`Usage: ${program} [options]`,
		'',
		'A sandbox of the Media Generation Service: free credits, playable media, faults on request.',
		'',
		...lines,
		'',
		'It ends with Ctrl-C or SIGTERM. Exit codes: 0 ended, 1 could not start, 2 wrong options.',
	].join('\n');
}
