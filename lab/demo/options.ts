/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import { parseArgs } from 'node:util';
import { LabError } from '../process/failure';

/** A port that was asked for, or the one to try first. */
export interface Port {
	number: number;
	/** Whether it was asked for: then no other one will do. */
	chosen: boolean;
}

/** What `npm start` was asked for. */
export interface StartOptions {
	/** End after the example has run. */
	once: boolean;
	/** The example to run, by the number in its name, such as `7b`. */
	example: string;
	/** Recompile the nodes when their sources change, and have n8n reload them. */
	watch: boolean;
	/** Port of the editor. */
	port: Port;
	sandboxPort: Port;
	/** The real service; without it the sandbox is used. */
	service?: { baseUrl: string; apiKey: string };
}

/**
 * Reads the command line and the environment. `--help` is answered by `preflight.cjs`.
 *
 * @throws LabError with one line that names what is wrong
 */
export function readOptions(args: string[], env: NodeJS.ProcessEnv): StartOptions {
	return {
		...flags(args),
		port: port(env, 'N8N_PORT', 5678),
		sandboxPort: port(env, 'SANDBOX_PORT', 4010),
		service: service(env),
	};
}

function flags(args: string[]): Pick<StartOptions, 'once' | 'watch' | 'example'> {
	const flag = { type: 'boolean', default: false } as const;
	try {
		const example = { type: 'string', default: '1' } as const;
		return parseArgs({ args, options: { once: flag, watch: flag, example } }).values;
	} catch (error) {
		throw new LabError(`${(error as Error).message.split('. ')[0]}: see npm start -- --help`);
	}
}

function port(env: NodeJS.ProcessEnv, name: string, standard: number): Port {
	const given = env[name];
	const number = Number(given ?? standard);
	if (!Number.isInteger(number) || number < 1 || number > 65_535) {
		throw new LabError(`${name} is ${given}: a number from 1 to 65535 is needed`);
	}
	return { number, chosen: given !== undefined };
}

function service({
	MEDIAGEN_BASE_URL: baseUrl,
	MEDIAGEN_API_KEY: apiKey,
}: NodeJS.ProcessEnv): StartOptions['service'] {
	if (!baseUrl && !apiKey) return undefined;
	if (!baseUrl || !apiKey) {
		const [given, other] = baseUrl ? ['BASE_URL', 'API_KEY'] : ['API_KEY', 'BASE_URL'];
		throw new LabError(`MEDIAGEN_${given} is set, so MEDIAGEN_${other} is needed too`);
	}
	if (!URL.canParse(baseUrl)) {
		throw new LabError(`MEDIAGEN_BASE_URL is not a URL: ${baseUrl} (it looks like https://…/v1)`);
	}
	return { baseUrl: baseUrl.replace(/\/+$/, ''), apiKey };
}
