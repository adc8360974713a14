import { portInUse } from '../n8n/start';
import { freePort, isFree } from '../process/ports';
import type { Log } from '../process/progress';
import type { Port } from './options';

/**
 * The port to listen on: the wanted one, or a free one where nobody has asked for it by name.
 *
 * @param program who will listen there, as the message names it
 * @throws LabError when the port was asked for and is in use
 */
export async function availablePort(wanted: Port, program: string, log: Log): Promise<number> {
	if (await isFree(wanted.number)) return wanted.number;
	if (wanted.chosen) throw portInUse(wanted.number);
	const port = await freePort();
	log(`Port ${wanted.number} is in use by another program, so ${program} is at ${port} this time.`);
	return port;
}
