/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import { parseArgs } from 'util';

import { isRecord } from '../src/api';
import { ApiError } from './errors';
import type { StartOptions } from './options';
import type { Sandbox } from './server';

/** A wrong command line, in words for who typed it. */
export class UsageError extends Error {}

const valued = (argument: string, note: string) => ({ type: 'string', argument, note }) as const;
const flag = (note: string) => ({ type: 'boolean', argument: '', note }) as const;

/** All options as `parseArgs` takes them, with what follows each name and what it is for. */
const OPTIONS = {
	port: valued('N', 'port to listen at (default 4010; 0 picks a free one)'),
	host: valued('HOST', 'address to listen at (default 127.0.0.1: this machine only)'),
	'public-url': valued(
		'URL',
		'where addresses in answers point to, if others know the sandbox by it',
	),
	'clock-scale': valued(
		'N',
		"how many times faster than life the service's time passes (default 1)",
	),
	seed: valued('N', 'repeats a run: ids, durations, media, faults (default: random)'),
	data: valued('DIR', 'keeps the state over restarts in this directory (default: in memory)'),
	settings: valued('JSON', 'any settings, for example \'{"eventShape": "flat"}\''),
	json: flag('prints one line of JSON when it is ready'),
	help: flag('shows this'),
};

export interface CommandLine {
	help: boolean;
	json: boolean;
	start: StartOptions;
}

/** Reads the command line. Throws a UsageError. */
export function readCommandLine(args: string[]): CommandLine {
	const { help = false, json = false, host, data, ...given } = parse(args);
	const clockScale = numberOf('clock-scale', given['clock-scale']);
	const settings = {
		...settingsOf(given.settings),
		...(clockScale !== undefined && { clockScale }),
	};
	const port = numberOf('port', given.port) ?? 4010;
	const seed = numberOf('seed', given.seed);
	return {
		help,
		json,
		start: { port, host, publicUrl: given['public-url'], seed, data, settings },
	};
}

function parse(args: string[]) {
	try {
		const { values } = parseArgs({ args, options: OPTIONS });
		const empty = Object.entries(values).find(([, value]) => String(value).trim() === '');
		if (empty) throw new Error(`--${empty[0]} needs a value`);
		return values;
	} catch (error) {
		// What follows the first sentence is advice for other programs.
		throw new UsageError((error as Error).message.split('. ')[0]);
	}
}

/** Decimal digits only: what else JavaScript takes for a number is a slip of the finger here. */
function numberOf(name: string, text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
	throw new UsageError(`--${name}: must be a number, not ${JSON.stringify(text)}`);
}

function settingsOf(text = '{}'): object {
	let settings: unknown;
	try {
		settings = JSON.parse(text);
	} catch {
		throw new UsageError(`--settings: must be JSON, not ${text}`);
	}
	if (isRecord(settings)) return settings;
	throw new UsageError('--settings: must be a JSON object');
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
	const lines = issues.map(({ field, message }) => `${optionOf(field)}: ${message}`);
	return new UsageError(lines.join('\n'));
}

/** The option that a part of the start options comes from; a setting that has none is of `--settings`. */
function optionOf(field: string): string {
	const option = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
	return Object.hasOwn(OPTIONS, option) ? `--${option}` : `--settings: ${field}`;
}

/** How the program is called, and with what. */
export function usage(program: string): string {
	const options = Object.entries(OPTIONS).map(
		([name, { argument, note }]) => `  ${`--${name} ${argument}`.padEnd(16)}  ${note}`,
	);
	return `Usage: ${program} [options]

A sandbox of the Media Generation Service: free credits, playable media, faults on request.

${options.join('\n')}

It ends with Ctrl-C or SIGTERM. Exit codes: 0 ended, 1 could not start, 2 wrong options.`;
}
