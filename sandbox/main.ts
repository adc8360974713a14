/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { parseArgs } from 'util';

import type { Sandbox } from './server';
import type { SettingsInput } from './settings';

const USAGE = `Usage: npm run sandbox -- [options]
  --port N          port on 127.0.0.1 (default 4010, 0 picks one)
  --clock-scale N   how much faster than real time the service's time passes (default 1)
  --seed N          repeats a run: ids, durations, media, faults (default: random)
  --data DIR        keeps state over restarts in this directory (default: in memory)
  --settings JSON   any settings, for example '{"eventShape": "flat"}'
  --public-url URL  where addresses in answers point to, behind a front
  --json            prints one line of JSON when ready`;

function readOptions() {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '4010' },
			'clock-scale': { type: 'string', default: '1' },
			seed: { type: 'string' },
			'public-url': { type: 'string' },
			data: { type: 'string' },
			settings: { type: 'string', default: '{}' },
			json: { type: 'boolean', default: false },
		},
	});
	const number = (name: string, text: string, good: (value: number) => boolean) => {
		const value = Number(text);
		if (text.trim() !== '' && good(value)) return value;
		throw new Error(`--${name} cannot be ${text}`);
	};
	const isPort = (value: number) => Number.isInteger(value) && value >= 0 && value < 65_536;
	return {
		port: number('port', values.port, isPort),
		clockScale: number('clock-scale', values['clock-scale'], (value) => value > 0),
		seed: values.seed === undefined ? undefined : number('seed', values.seed, Number.isInteger),
		publicUrl: values['public-url'],
		data: values.data,
		settings: JSON.parse(values.settings) as SettingsInput,
		json: values.json,
	};
}

function describe({ baseUrl, adminUrl, keys, seed }: Sandbox): string {
	const lines = keys.map(({ key, workspace, scopes, entitled }) => {
		const what = scopes.length === 14 ? 'all scopes' : scopes.join(' ');
		return `  ${key.padEnd(22)} ${workspace}${entitled ? '' : ' (not entitled)'}: ${what}`;
	});
	return [
		'The sandbox of the Media Generation Service is ready. Nothing here costs anything.',
		`  base URL   ${baseUrl}`,
		`  page       ${baseUrl.replace('/v1', '/')}`,
		`  admin      ${adminUrl}`,
		`  seed       ${seed}`,
		'Keys:',
		...lines,
		'Ctrl-C ends it.',
	].join('\n');
}

/**
 * Calls back when the process that started this one is gone. A signal to `npm run` ends npm and its
 * shell, but never reaches this process; without this the sandbox would be left running.
 */
function exitWithParent(callback: () => void): void {
	const parent = process.ppid;
	const timer = setInterval(() => {
		if (process.ppid === parent) return;
		clearInterval(timer);
		callback();
	}, 500);
	timer.unref();
}

async function main(): Promise<void> {
	const { clockScale, json, settings, ...options } = readOptions();
	// Not before: a wrong option is reported at once.
	const { createSandbox } = await import('./server');
	const sandbox = await createSandbox({ ...options, settings: { clockScale, ...settings } });
	// Before the ready line, whose reader may end the sandbox at once.
	const end = () => void sandbox.close().then(() => process.exit(0));
	process.once('SIGTERM', end);
	process.once('SIGINT', end);
	if (process.env.npm_lifecycle_event) exitWithParent(end);
	const { baseUrl, adminUrl, keys } = sandbox;
	console.log(json ? JSON.stringify({ baseUrl, adminUrl, keys }) : describe(sandbox));
	// Most of a second that the first output would wait for; what is wrong with it is reported there.
	void import('./media').catch(() => undefined);
}

main().catch((error: NodeJS.ErrnoException) => {
	const busy = error.code === 'EADDRINUSE' ? 'The port is in use; choose another with --port.' : '';
	console.error(busy || `${error.message}\n${USAGE}`);
	process.exit(1);
});
