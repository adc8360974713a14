/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { connectedTo, nodeAt } from '../../lab/n8n/canvas';
import { nodeName, triggerName, workflowOf, type NodeRun } from '../../lab/n8n/nodeWorkflow';
import { credentialOf, type Rest, type SavedCredential } from '../../lab/n8n/rest';
import { runNode } from '../../lab/n8n/runNode';
import type { N8n } from '../../lab/n8n/start';
import type { ScriptedService } from '../../test/model/scriptedService';
import { atMost, type Figure } from '../table';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** How often the memory is looked at, in milliseconds. */
const EVERY_MS = 20;

function* zeros(): Generator<Buffer> {
	const chunk = Buffer.alloc(64 * 1024);
	for (let sent = 0; sent < GIB; sent += chunk.length) yield chunk;
}

/** A generation with a file of 1 GiB, and a place to upload to. @returns counts the bytes that have arrived there */
function serveFiles({ on, origin }: ScriptedService): () => number {
	let received = 0;
	on('GET /v1/generations/large', (_request, response) => {
		const outputs = [{ id: 'out', url: `${origin}/large`, media_type: 'video/mp4' }];
		response.json({ object: 'generation', id: 'large', status: 'completed', outputs });
	});
	on('GET /large', (_request, response) => {
		response.set({ 'content-type': 'video/mp4', 'content-length': String(GIB) });
		Readable.from(zeros()).pipe(response);
	});
	on('POST /v1/files', (_request, response) => {
		const url = `${origin}/stored`;
		response.status(201).json({ upload_url: url, upload_headers: {}, url });
	});
	on('PUT /stored', (request, response) => {
		request.on('data', (chunk: Buffer) => (received += chunk.length));
		request.on('end', () => response.status(200).end());
	});
	return () => received;
}

/** Samples the resident memory of a process until it is stopped; bytes, and when in milliseconds since the epoch. */
function watchMemory(pid: number): () => Array<{ at: number; bytes: number }> {
	const samples: Array<{ at: number; bytes: number }> = [];
	const timer = setInterval(() => {
		const status = readFileSync(`/proc/${pid}/status`, 'utf8');
		const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(status) ?? [];
		samples.push({ at: Date.now(), bytes: Number(kilobytes) * 1024 });
	}, EVERY_MS);
	return () => {
		clearInterval(timer);
		return samples;
	};
}

/** The growth of n8n's resident memory while our nodes download a file of 1 GiB and upload it again. */
export async function transfers(
	n8n: N8n,
	rest: Rest,
	credential: SavedCredential,
	service: ScriptedService,
): Promise<Figure[]> {
	const received = serveFiles(service);
	const generationId = { __rl: true, mode: 'id', value: 'large' };
	const download: NodeRun = {
		type: 'n8n-nodes-mediagen.mediaGen',
		credential,
		parameters: { operation: 'get', generationId, downloadOutputs: true },
		timeoutMs: 300_000,
	};
	// Once with nothing to carry, so that what is loaded for the first time does not count.
	await runNode(rest, { ...download, parameters: { operation: 'get', generationId } });
	const workflow = workflowOf(download);
	workflow.nodes.push({
		...nodeAt('Upload', 3),
		type: 'n8n-nodes-mediagen.mediaGenFile',
		typeVersion: 1,
		parameters: { operation: 'upload', inputBinaryField: 'data' },
		credentials: credentialOf(credential),
	});
	workflow.connections[nodeName] = connectedTo('Upload');
	const { id } = await rest.workflows.create(workflow);
	// The guard that has started n8n has no other child.
	const child = readFileSync(`/proc/${n8n.pid}/task/${n8n.pid}/children`, 'utf8');
	const stop = watchMemory(Number(child));
	const execution = await rest.executions.wait(await rest.workflows.run(id, triggerName), download);
	const samples = stop();
	if (received() !== GIB) throw new Error(`${received()} of ${GIB} bytes went down and up again`);
	const growth = (node: string, name: string, most: number): Figure => {
		const { startTime, executionTime } = execution.data.resultData.runData[node]![0]!;
		const before = samples.findLast(({ at }) => at <= startTime)?.bytes ?? NaN;
		const during = samples.filter(({ at }) => at >= startTime && at <= startTime + executionTime);
		const mib = (Math.max(before, ...during.map(({ bytes }) => bytes)) - before) / MIB;
		const note =
			'resident memory of n8n while our node ran, over that before; filesystem binary mode';
		return atMost(name, mib, most, { digits: 0, unit: ' MiB', note });
	};
	return [growth('Upload', '1 GiB uploaded', 48), growth(nodeName, '1 GiB downloaded', 16)];
}
