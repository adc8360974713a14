/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { IDataObject } from 'n8n-workflow';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTlsFront, type Route, type TlsFront } from '../../../lab/n8n/tlsFront';
import type { Access } from '../../../lab/n8n/credential';
import { createSandbox, type Sandbox } from '../../../sandbox/server';
import { quickRender } from '../../sandbox/support/harness';

/** What an item of a started workflow held. */
export type CollectedItem = IDataObject & { workflow: string };

/**
 * What is around an n8n that takes events: a TLS front, a sandbox that trusts it, and a collector
 * of what workflows are started with.
 */
export interface EventEnvironment {
	front: TlsFront;
	sandbox: Sandbox;
	access: Access;
	got: CollectedItem[];
	collectorUrl: string;
	/** Variables that n8n needs for it. */
	env: Record<string, string>;
	close(): Promise<void>;
}

/** @param target where the front sends calls */
export async function startEventEnvironment(target: Route): Promise<EventEnvironment> {
	const front = await startTlsFront(target);
	const settings = {
		clockScale: 60,
		requestsPerMinute: 1_000_000,
		concurrentJobs: 10_000,
		// A restart of n8n would outlast the usual attempts, sixty times faster than life.
		deliverySchedule: [0, 5, 30, 60, ...Array<number>(60).fill(240)],
	};
	const sandbox = await createSandbox({
		seed: 1,
		settings,
		deliveryCa: front.ca,
		render: quickRender,
	});
	const got: CollectedItem[] = [];
	const collector = createServer((incoming, outgoing) => {
		const chunks: Buffer[] = [];
		incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
		incoming.on('end', () => {
			const { json, ...about } = JSON.parse(Buffer.concat(chunks).toString()) as CollectedItem;
			got.push({ ...about, ...(json as IDataObject) });
			outgoing.end('{}');
		});
	});
	await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
	return {
		front,
		sandbox,
		access: {
			apiKey: sandbox.keys[0]?.key ?? '',
			baseUrl: sandbox.baseUrl,
			clockScale: 1_000,
		},
		got,
		collectorUrl: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`,
		env: front.env,
		async close() {
			await Promise.all([front.stop(), sandbox.close()]);
			collector.closeAllConnections();
			collector.close();
		},
	};
}
