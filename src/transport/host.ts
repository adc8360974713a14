import type { SendResult, Channel, NoResponse } from '../base/types';

/** The content of a file: all of it, or a stream that can be read once. */
export type Body = Buffer | NodeJS.ReadableStream;

/** A file as n8n keeps it: its content, or the `id` under which the content is stored. */
export interface StoredFile {
	data: string;
	mimeType: string;
	id?: string;
	fileName?: string;
	fileExtension?: string;
	fileSize?: string;
	/** Other facts that n8n keeps about the file. */
	[name: string]: string | number | undefined;
}

/** A binary field of the item, which can be opened as often as needed. */
export interface BinarySource {
	fileName: string;
	/** The media type that the previous node has stated. */
	mimeType: string;
	/** The id under which n8n stores the file; `undefined` if its content is in the item itself. */
	id?: string;
	open(): Promise<Body>;
}

/** A response whose body has not been read yet. */
export interface StreamedResponse {
	status: number;
	headers: Record<string, string>;
	/** In bytes, if the response states it. Of a compressed body it is that of the compressed bytes. */
	length?: number;
	/** Decompressed. */
	body: NodeJS.ReadableStream;
	/**
	 * Closes the connection. If the body was not read to its end, reading it fails from then on. May be
	 * called again.
	 */
	close(): void;
}

/** The longest that one attempt at a file may take, in ms: enough for 2 GiB at 300 kB a second. */
export const TRANSFER_TIMEOUT_MS = 7_200_000;

/** All that the code below `src/n8n` needs from n8n for one item. */
export interface Host {
	channel: Channel;
	baseUrl: string;
	/** How long an answer may take, in ms. */
	answerMs: number;
	/**
	 * Opens a file of the item; `undefined` if the item has no binary field of that name.
	 * @param file a file of another node, which is taken instead
	 */
	binary(field: string, file?: StoredFile): Promise<BinarySource | undefined>;
	/** Sends a PUT without credentials and without following redirects. It ends when `end` fires. */
	put(
		url: string,
		headers: Record<string, string>,
		file: Pick<BinarySource, 'open'> & { size: number },
		end: AbortSignal,
	): Promise<SendResult>;
	/** Sends a GET without credentials and without following redirects. It ends when `end` fires. */
	get(url: string, end: AbortSignal): Promise<StreamedResponse | NoResponse>;
	/**
	 * Stores a file in n8n's binary data. Rejects if its stream breaks, `end` fires or n8n cannot store it.
	 */
	store(body: Body, fileName: string, mimeType: string, end?: AbortSignal): Promise<StoredFile>;
	/** The address at which n8n takes calls from outside; `undefined` if n8n says that there is none. */
	webhookAddress?(): string | undefined;
}
