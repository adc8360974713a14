import { credentialType } from '../../lab/n8n/credential';
import { startInstance } from '../../lab/n8n/instance';
import type { Figure } from '../table';
import { overhead } from './overhead';
import { startService } from './service';
import { transfers } from './transfers';

/** Requests a minute and jobs at a time: more than are ever used, so that no limit is met. */
const UNLIMITED = 1_000_000_000;

/** What is measured in a real n8n, beside n8n's own nodes, against a service on this machine. */
export async function real(log: (line: string) => void): Promise<Figure[]> {
	const service = await startService();
	try {
		// As users run it: with the heap of the lab its memory would be another.
		const { n8n, rest } = await startInstance({ log, env: { NODE_OPTIONS: '' } });
		try {
			const credential = await rest.credentials.create(credentialType, 'Bench', {
				apiKey: 'bench',
				baseUrl: service.baseUrl,
				requestsPerMinute: UNLIMITED,
				concurrentJobs: UNLIMITED,
				// The HTTP Request node uses it too.
				allowedHttpRequestDomains: 'all',
			});
			// First, because what the many items leave behind would hide the growth.
			const memory = await transfers(n8n, rest, credential, service);
			return [await overhead(rest, credential, service.baseUrl), ...memory];
		} finally {
			await n8n.stop();
		}
	} finally {
		await service.stop();
	}
}
