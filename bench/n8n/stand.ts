import { credentialType } from '../../lab/n8n/credential';
import type { Rest, SavedCredential } from '../../lab/n8n/rest';
import { startInstance } from '../../lab/n8n/instance';
import type { N8n } from '../../lab/n8n/start';
import { startService, type FakeService } from './service';

/** Requests a minute and jobs at a time: more than are ever used, so that no limit is met. */
const UNLIMITED = 1_000_000_000;

/** A real n8n with our nodes, and a service beside it that holds nothing up. */
export interface Stand {
	n8n: N8n;
	rest: Rest;
	service: FakeService;
	credential: SavedCredential;
}

/** Sets up the stand for one measurement, and takes it down afterwards however that ends. */
export async function withStand<T>(
	options: { log: (line: string) => void; env?: Record<string, string> },
	measure: (stand: Stand) => Promise<T>,
): Promise<T> {
	const service = await startService();
	try {
		// As users run it: with the heap of the lab its memory would be another.
		const env = { NODE_OPTIONS: '', ...options.env };
		const { n8n, rest } = await startInstance({ ...options, env });
		try {
			const credential = await rest.credentials.create(credentialType, 'Bench', {
				apiKey: 'bench',
				baseUrl: service.baseUrl,
				requestsPerMinute: UNLIMITED,
				concurrentJobs: UNLIMITED,
				// The HTTP Request node uses it too.
				allowedHttpRequestDomains: 'all',
			});
			return await measure({ n8n, rest, service, credential });
		} finally {
			await n8n.stop();
		}
	} finally {
		await service.stop();
	}
}
