import { portInUse } from '../n8n/start';
import { freePort, isFree } from '../process/ports';
import type { Log } from '../process/progress';
import type { Port, StartOptions } from './options';

/**
 * Checks the ports that were asked for, before half a minute is spent on starting what needs none of
 * them.
 *
 * @throws LabError when one is in use
 */
export async function requirePorts({
	port,
	sandboxPort,
	service,
}: Pick<StartOptions, 'port' | 'sandboxPort' | 'service'>): Promise<void> {
	await requireIfChosen(port, 'the editor', 'N8N_PORT');
	if (!service) await requireIfChosen(sandboxPort, 'the sandbox', 'SANDBOX_PORT');
}

async function requireIfChosen(wanted: Port, program: string, variable: string): Promise<void> {
	if (!wanted.chosen || (await isFree(wanted.number))) return;
	throw portInUse(wanted.number, program, variable);
}

/**
 * The port to listen on: the wanted one, or a free one if none was asked for.
 *
 * @param program who will listen there, as the message names it
 * @param variable of the environment that names the port
 * @throws LabError when the port was asked for and is in use
 */
export async function availablePort(
	wanted: Port,
	program: string,
	variable: string,
	log: Log,
): Promise<number> {
	await requireIfChosen(wanted, program, variable);
	if (await isFree(wanted.number)) return wanted.number;
	const port = await freePort();
	log(`Port ${wanted.number} is in use by another program, so ${program} is at ${port} this time.`);
	return port;
}
