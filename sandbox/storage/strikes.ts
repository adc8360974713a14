/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { Response } from 'express';
import { createReadStream } from 'fs';
import { stat } from 'fs/promises';
import { Readable } from 'stream';
import { pipeline } from 'stream/promises';

import type { Clock } from '../clock';
import type { FaultKind, FaultSubject } from '../faults';
import { entryOf } from '../http/exchange';
import type { Service } from '../service';

/** What strikes a request for a file of a workspace; samples are of none. */
function taker({ faults }: Service, response: Response, workspace: string | undefined) {
	const entry = entryOf(response);
	const subject: FaultSubject = { operation: entry.operation ?? undefined, workspace };
	return <Kind extends FaultKind>(kind: Kind) => {
		const rule = faults.take(kind, subject);
		if (rule) entry.fault = kind;
		return rule;
	};
}

/** Whether a fault has answered for the storage. */
function isRefused(response: Response, take: ReturnType<typeof taker>): boolean {
	const refused = take('storage_status');
	if (!refused) return false;
	const { status, code } = refused;
	const page = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>The storage says ${code}.</Message></Error>`;
	response.status(status).type('application/xml').send(page);
	return true;
}

/** What arrives of an upload, or undefined where a fault lets it come to nothing. */
export function struckUpload(
	service: Service,
	response: Response,
	{ workspace, size }: { workspace: string; size: number },
): Readable | undefined {
	const take = taker(service, response, workspace);
	if (isRefused(response, take) || take('storage_deaf')) return undefined;
	const slow = take('storage_slow');
	const { req: request } = response;
	return slow ? paced(request, size, slow.seconds, service.clock) : request;
}

/** Whether a fault has sent a file, or as much of it as it ever will. */
export async function struckDownload(
	service: Service,
	response: Response,
	{ path, mediaType, workspace }: { path: string; mediaType: string; workspace?: string },
): Promise<boolean> {
	const take = taker(service, response, workspace);
	if (isRefused(response, take)) return true;
	const deaf = take('storage_deaf');
	if (deaf?.bytes === 0) return true;
	const slow = deaf ? undefined : take('storage_slow');
	if (!deaf && !slow) return false;
	const { size } = await stat(path);
	response.setHeader('content-type', mediaType).setHeader('content-length', size);
	// A client that disconnects half-way is not an error of the sandbox.
	const ended = () => undefined;
	if (deaf) {
		const some = createReadStream(path, { end: deaf.bytes - 1 });
		await pipeline(some, response, { end: false }).catch(ended);
	} else if (slow) {
		const all = paced(createReadStream(path), size, slow.seconds, service.clock);
		await pipeline(all, response).catch(ended);
	}
	return true;
}

/** Into how many parts at least what is slow is cut. */
const PARTS = 50;

/** The bytes of a stream, so slowly that all of them take so many seconds. */
function paced(source: Readable, size: number, seconds: number, clock: Clock): Readable {
	const step = Math.ceil(size / PARTS);
	async function* parts() {
		for await (const chunk of source as AsyncIterable<Buffer>) {
			for (let at = 0; at < chunk.length; at += step) {
				const part = chunk.subarray(at, at + step);
				await clock.sleep((seconds * part.length) / size);
				yield part;
			}
		}
	}
	return Readable.from(parts());
}
