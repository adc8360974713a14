/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { N8n } from '../../lab/n8n/start';
import type { Rest, SavedCredential } from '../../lab/n8n/rest';
import { atMost, type Figure } from '../table';
import { runFlow, stepOf, type Step } from './flow';
import { childOf, growth, watchMemory } from './resident';
import { GIB, MP4, type FakeService } from './service';

const MIB = 1024 ** 2;

/** Runs steps and returns how much memory the last one took in n8n's process, in bytes. */
async function memoryOf(n8n: N8n, rest: Rest, steps: Step[]): Promise<number> {
	const stop = watchMemory(childOf(n8n.pid));
	try {
		const { from, to } = stepOf(await runFlow(rest, steps), steps.at(-1)?.name ?? '');
		return growth(stop(), from, to);
	} finally {
		stop();
	}
}

const figure = (name: string, bytes: number, most: number): Figure =>
	atMost(name, bytes / MIB, most, {
		digits: 0,
		unit: ' MiB',
		note: 'resident memory of n8n while our node ran, over that before; filesystem binary mode',
	});

/** The growth of n8n's resident memory while our nodes upload and download a file of 1 GiB. */
export async function transfers(
	n8n: N8n,
	rest: Rest,
	credential: SavedCredential,
	service: FakeService,
): Promise<Figure[]> {
	const file = path.join(n8n.filesFolder, 'large.mp4');
	const handle = await open(file, 'w');
	// Sparse: it has its length without taking the disk's space.
	await handle.write(MP4);
	await handle.truncate(GIB);
	await handle.close();
	const read: Step = {
		name: 'Read',
		type: 'n8n-nodes-base.readWriteFile',
		parameters: { operation: 'read', fileSelector: file, options: {} },
	};
	const send: Step = {
		name: 'Upload',
		type: 'n8n-nodes-mediagen.mediaGenFile',
		credential,
		parameters: { operation: 'upload', inputBinaryField: 'data' },
	};
	const get: Step = {
		name: 'Download',
		type: 'n8n-nodes-mediagen.mediaGen',
		credential,
		parameters: {
			operation: 'get',
			generationId: { __rl: true, mode: 'id', value: 'large' },
			downloadOutputs: true,
		},
	};
	try {
		// Both once with nothing to carry, so that what is loaded for the first time does not count.
		await runFlow(rest, [{ ...get, parameters: { ...get.parameters, downloadOutputs: false } }]);
		const up = await memoryOf(n8n, rest, [read, send]);
		if (service.received() !== GIB) throw new Error(`${service.received()} bytes were uploaded`);
		const down = await memoryOf(n8n, rest, [get]);
		if (service.sent() !== GIB) throw new Error(`${service.sent()} bytes were downloaded`);
		return [figure('1 GiB uploaded', up, 48), figure('1 GiB downloaded', down, 16)];
	} finally {
		rmSync(file, { force: true });
	}
}
