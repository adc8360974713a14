import type { IBinaryData } from 'n8n-workflow';
import { createHash } from 'crypto';
import type { HostContext } from './hostContext';
import type { BinarySource } from './host';

type Binary = NonNullable<HostContext['binary']>;

/** n8n's store of binary data. */
export function binaryOf({ binary }: HostContext): Binary {
	if (!binary) throw new Error('n8n gives no access to binary data here');
	return binary;
}

/** A file of an item: in n8n's store, or in the item itself. */
export async function binarySource(
	context: HostContext,
	{ id, data, fileName, mimeType }: IBinaryData,
): Promise<BinarySource> {
	const shared = { fileName: fileName ?? '', mimeType };
	if (id) {
		const binary = binaryOf(context);
		const { fileSize } = await binary.getBinaryMetadata(id);
		const open = async () => await binary.getBinaryStream(id);
		return { ...shared, size: fileSize, identity: id, open };
	}
	// A file without an id is stored in the item itself. n8n's helper would look it up by name, which
	// differs with the binary mode.
	const buffer = Buffer.from(data, 'base64');
	const identity = createHash('sha256').update(data).digest('hex');
	return { ...shared, size: buffer.length, identity, open: async () => buffer };
}
