/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import { parseArgs } from 'node:util';
import { LabError } from '../process/failure';
import { freePort, isFree } from '../process/ports';
import type { Log } from '../process/progress';

/** A port that was asked for, or the one to try first. */
export interface Port {
	number: number;
	/** Whether it was asked for: then no other one will do. */
	chosen: boolean;
	/** The variable that names it. */
	variable: string;
	/** Who will listen there, as a message names it. */
	program: string;
}

/** What `npm start` was asked for. */
export interface StartOptions {
	/** End after the example has run. */
	once: boolean;
	/** The example that was asked for, by the number in its name, such as `7b`; otherwise it is the first. */
	example?: string;
	/** Recompile the nodes when their sources change, and have n8n reload them. */
	watch: boolean;
	/** n8n in queue mode, with the first example (`npm run start:queue`). */
	queue: boolean;
	/** Port of the editor. */
	port: Port;
	sandboxPort: Port;
	/** The real service; without it the sandbox is used. */
	service?: { baseUrl: string; apiKey: string };
	/** An n8n that runs already, used instead of one of the lab's. */
	ownN8n?: OwnN8n;
}

/** An n8n that somebody else has installed and started. */
export interface OwnN8n {
	/** Where its editor is, without a slash at the end. */
	url: string;
	/** A key of its public API, with which credential and example are put into it. */
	apiKey?: string;
}

/**
 * Reads the command line and the environment. `--help` is answered by `preflight.cjs`.
 *
 * @throws LabError with one line that names what is wrong
 */
export function readOptions(args: string[], env: NodeJS.ProcessEnv): StartOptions {
	const flag = { type: 'boolean', default: false } as const;
	const text = { type: 'string' } as const;
	const known = { once: flag, watch: flag, queue: flag, example: text, n8n: text } as const;
	let flags;
	try {
		flags = parseArgs({ args, options: known }).values;
	} catch (error) {
		throw new LabError(`${(error as Error).message.split('. ')[0]}: see npm start -- --help`);
	}
	const { n8n, ...others } = flags;
	if (n8n !== undefined && (others.watch || others.queue))
		throw new LabError(
			'--n8n uses an n8n that runs already: it goes with --example and --once only',
		);
	return {
		...others,
		ownN8n: n8n === undefined ? undefined : ownN8n(n8n, env),
		port: port(env, 'N8N_PORT', 5678, 'the editor'),
		sandboxPort: port(env, 'SANDBOX_PORT', 4010, 'the sandbox'),
		service: service(env),
	};
}

function port(env: NodeJS.ProcessEnv, variable: string, usual: number, program: string): Port {
	const given = env[variable];
	const number = Number(given ?? usual);
	if (!Number.isInteger(number) || number < 1 || number > 65_535)
		throw new LabError(`${variable} is ${given}: a number from 1 to 65535 is needed`);
	return { number, chosen: given !== undefined, variable, program };
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
	if (!URL.canParse(baseUrl))
		throw new LabError(`MEDIAGEN_BASE_URL is not a URL: ${baseUrl} (it looks like https://…/v1)`);
	return { baseUrl: baseUrl.replace(/\/+$/, ''), apiKey };
}

function ownN8n(url: string, { N8N_API_KEY: apiKey }: NodeJS.ProcessEnv): OwnN8n {
	if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
		throw new LabError(`--n8n is not the address of an n8n: ${url} (it looks like https://…)`);
	return { url: url.replace(/\/+$/, ''), apiKey };
}

/**
 * The port to listen on: the wanted one, or a free one where that is in use.
 *
 * @throws LabError when one that was asked for is in use
 */
export async function availablePort(port: Port, log: Log): Promise<number> {
	const { number, chosen, program, variable } = port;
	if (await isFree(number)) return number;
	if (chosen)
		throw new LabError(
			`Port ${number} is in use by another program: end that one, or choose a port for ${program}, ` +
				`e.g. ${variable}=${number + 1} npm start`,
		);
	const other = await freePort();
	log(`Port ${number} is in use by another program, so ${program} is at ${other} this time.`);
	return other;
}
