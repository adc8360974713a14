import type { Figure } from '../table';
import { overhead } from './overhead';
import { withStand } from './stand';
import { transfers } from './transfers';

/** What is measured in a real n8n, beside n8n's own nodes, against a service on this machine. */
export async function real(log: (line: string) => void): Promise<Figure[]> {
	return await withStand({ log }, async ({ n8n, rest, service, credential }) => {
		// First, because what the many items leave behind would hide the growth.
		const memory = await transfers(n8n, rest, credential, service);
		return [await overhead(rest, credential, service.baseUrl), ...memory];
	});
}
