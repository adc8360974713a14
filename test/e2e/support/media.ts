import { randomBytes } from 'node:crypto';
import type { IBinaryData, INodeParameters } from 'n8n-workflow';
import type { Rest } from '../../../lab/n8n/rest';

/** Parameters of a generation, of an image unless `mode` says otherwise, with the rest filled in. */
export function createParameters(given: {
	mode?: string;
	model?: string;
	prompt?: string;
	options?: object;
	/** One of the options. */
	delivery?: string;
	[name: string]: unknown;
}): INodeParameters {
	const { model = 'studio/image-1', mode = 'image', delivery, options, ...rest } = given;
	return {
		operation: `generate${mode.charAt(0).toUpperCase()}${mode.slice(1)}`,
		options: { ...options, ...(delivery && { delivery }) },
		prompt: 'A lighthouse at dawn',
		model: { __rl: true, mode: 'id', value: model },
		...rest,
	} as INodeParameters;
}

/** The bytes of a stored file. */
export async function download(rest: Rest, data: IBinaryData | undefined): Promise<Buffer> {
	if (!data) throw new Error('There is no such file on the item');
	return await rest.download(data);
}

const SIGNATURES: Array<[type: string, offset: number, text: string]> = [
	['image/png', 0, '\x89PNG\r\n\x1a\n'],
	['video/mp4', 4, 'ftyp'],
	['audio/wav', 0, 'RIFF'],
];

/** The media type that the first bytes of a file speak for. */
export function sniff(file: Buffer): string | undefined {
	const found = SIGNATURES.find(([, offset, text]) => {
		return file.toString('latin1', offset, offset + text.length) === text;
	});
	return found?.[0];
}

/** The part of an id that the name of its file ends with. */
export const shortId = (id: unknown): string =>
	(
		String(id)
			.toLowerCase()
			.split(/[^a-z0-9]/)
			.at(-1) ?? ''
	).slice(-6);

/** How files of a type begin. */
const BEGINNINGS: Record<string, Buffer> = {
	'image/png': Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
	'audio/wav': Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'),
};

/** As many bytes as are wanted, that begin as a file of the type does. */
export function bytesOf(mimeType: string, size: number): Buffer {
	const beginning = BEGINNINGS[mimeType] ?? Buffer.alloc(0);
	return Buffer.concat([beginning, randomBytes(size - beginning.length)]);
}
