import type { IBinaryData } from 'n8n-workflow';
import type { SendResult, Channel, NoResponse } from '../base/types';

/** A body as n8n hands it around: whole, or as a stream that is read once. */
export type Body = Buffer | NodeJS.ReadableStream;

/** A binary field of the item, ready to be read as often as needed. */
export interface BinarySource {
	fileName: string;
	mimeType: string;
	/** Bytes. */
	size: number;
	/** Tells this file from any other: the same for the same stored file. */
	identity: string;
	open(): Promise<Body>;
}

/** The head of an answer whose body is still to be read. */
export interface StreamedResponse {
	status: number;
	headers: Record<string, string>;
	/** Unpacked, where it came packed and n8n knows how; `content-length` still counts the packed bytes then. */
	body: NodeJS.ReadableStream;
	/** Ends the connection, and the body with an error unless it was read to its end. May be called again. */
	close(): void;
}

/** What the transport needs from n8n for one item; everything else in the transport knows nothing of n8n. */
export interface Host {
	channel: Channel;
	baseUrl: string;
	/** The binary field of this item, or `undefined` when it has none of that name. */
	binary(field: string): Promise<BinarySource | undefined>;
	/** PUT without credentials and without following redirects. */
	put(url: string, headers: Record<string, string>, source: BinarySource): Promise<SendResult>;
	/** GET without credentials and without following redirects. */
	get(url: string): Promise<StreamedResponse | NoResponse>;
	/** Stores a stream in n8n's binary data; answers it with its size in bytes. Rejects when the stream breaks. */
	store(
		body: NodeJS.ReadableStream,
		fileName: string,
		mimeType: string,
	): Promise<{ data: IBinaryData; size: number }>;
}
