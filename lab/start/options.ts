import { LabError } from '../failure';

/** What `npm start` was asked for. */
export interface StartOptions {
	/** End after the first example has run. */
	once: boolean;
	/** Port of the editor. */
	port: number;
	/** The real service; without it the sandbox is used. */
	service?: { baseUrl: string; apiKey: string };
}

/**
 * Reads the command line and the environment.
 *
 * @throws LabError with one line that names what is wrong
 */
export function readOptions(args: string[], env: NodeJS.ProcessEnv): StartOptions {
	const unknown = args.find((argument) => argument !== '--once');
	if (unknown) throw new LabError(`Unknown option ${unknown}: there is only --once`);
	const port = Number(env.N8N_PORT ?? 5678);
	if (!Number.isInteger(port) || port < 1 || port > 65_535) {
		throw new LabError(`N8N_PORT is ${env.N8N_PORT}: a number from 1 to 65535 is needed`);
	}
	return { once: args.includes('--once'), port, service: service(env) };
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
	if (!URL.canParse(baseUrl)) throw new LabError(`MEDIAGEN_BASE_URL is no address: ${baseUrl}`);
	return { baseUrl: baseUrl.replace(/\/+$/, ''), apiKey };
}
