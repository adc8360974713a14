/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { QueueInstance } from './queueInstance';

declare global {
	// Only `var` declares a property of globalThis.
	var queueInstance: QueueInstance | undefined;
}

/**
 * What n8n 3 will do by itself, as its predecessor announces; queue mode already runs manual
 * executions on workers and keeps no file in memory.
 */
const asN8n3 = {
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	N8N_SSRF_PROTECTION_ENABLED: 'true',
	// The ranges that 3 blocks besides.
	N8N_SSRF_BLOCKED_IP_RANGES: 'default,100.64.0.0/10,64:ff9b::/96,2002::/16',
	// The sandbox, and what collects the items of workflows.
	N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.1/32',
};

/** Starts one n8n in queue mode for the whole run; `environment.ts` hands it to the tests. */
export default async function globalSetup(): Promise<void> {
	const log = (line: string) => process.stderr.write(`${line}\n`);
	// As long as n8n itself lets a worker finish what it is at when it is stopped, and a little more.
	const graceMs = 35_000;
	globalThis.queueInstance = await QueueInstance.start({
		webhooks: 2,
		graceMs,
		lean: true,
		log,
		env: asN8n3,
	});
}
