/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { selfSigned, startTlsFront } from '../n8n/tlsFront';
import { stateRoot } from '../process/paths';
import type { Cleanup } from './cleanup';

/** An https address for n8n on this machine, as events of the service need it. */
export interface PublicAddress {
	/** The environment variables by which n8n learns of it. */
	env: Record<string, string>;
	/** The certificate that the sandbox has to trust (PEM). */
	caFile: string;
	/** n8n is up, on this port. */
	leadsTo(port: number): void;
}

export async function startPublicAddress(cleanup: Cleanup): Promise<PublicAddress> {
	const pair = await selfSigned();
	const front = await startTlsFront(0, pair);
	cleanup.add(front.stop);
	const caFile = path.join(stateRoot, 'front.pem');
	mkdirSync(stateRoot, { recursive: true });
	writeFileSync(caFile, pair.cert);
	return {
		env: { WEBHOOK_URL: front.url, N8N_PROXY_HOPS: '1' },
		caFile,
		leadsTo: (port) => front.target(port),
	};
}
