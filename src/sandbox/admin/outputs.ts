import type { Response } from 'express';

import { sendFile } from '../http/sendFile';
import type { Service } from '../service';
import type { OutputEntity } from '../state/entities';
import { isKept, outputFile } from '../storage/outputs';
import { outputId } from '../storage/references';

/**
 * Where the page reads an output: not at the address that clients are given, so that its looking is
 * no traffic.
 */
export function outputPath({ id, extension }: OutputEntity): string {
	return `/sandbox/outputs/${id}.${extension}`;
}

/**
 * Sends an output without a record of the request and past all faults; 404 where there is none any
 * more.
 */
export async function showOutput(
	service: Service,
	name: string,
	response: Response,
): Promise<void> {
	const found = service.outputs.find(outputId(`/outputs/${name}`));
	if (!found || !isKept(service, found)) {
		const error = { type: 'not_found', message: 'There is no such output, or no longer.' };
		return void response.status(404).json({ error });
	}
	await sendFile(response, await outputFile(service, found), found.output.mediaType);
}
