import type { SendResult, Channel, NoResponse } from '../base/types';

/** Whole, or as a stream that is read once. */
export type Body = Buffer | NodeJS.ReadableStream;

/** A file as n8n keeps it: its content, or under which `id` it is stored. */
export interface StoredFile {
	data: string;
	mimeType: string;
	id?: string;
	fileName?: string;
	fileExtension?: string;
	fileSize?: string;
	/** What else n8n says of it. */
	[name: string]: string | number | undefined;
}

/** A binary field of the item, which can be opened as often as needed. */
export interface BinarySource {
	fileName: string;
	/** As the node before states it. */
	mimeType: string;
	/** Where n8n stores it; `undefined` for a file in the item itself. */
	id?: string;
	open(): Promise<Body>;
}

/** A response whose body has not been read yet. */
export interface StreamedResponse {
	status: number;
	headers: Record<string, string>;
	/** Decompressed, although `content-length` still counts the compressed bytes. */
	body: NodeJS.ReadableStream;
	/** A body not read to its end ends with an error then. May be called again. */
	close(): void;
}

/** The longest that one attempt at a file may take, in ms: enough for 2 GiB at 300 kB a second. */
export const TRANSFER_TIMEOUT_MS = 7_200_000;

/** What the core of the transport needs from n8n for one item: it knows n8n by nothing else. */
export interface Host {
	channel: Channel;
	baseUrl: string;
	/** How long an answer may take, in ms. */
	answerMs: number;
	/**
	 * `undefined` when the item has no binary field of that name.
	 * @param file of another node, which is taken instead
	 */
	binary(field: string, file?: StoredFile): Promise<BinarySource | undefined>;
	/** PUT without credentials and without following redirects, until `end` fires. */
	put(
		url: string,
		headers: Record<string, string>,
		file: Pick<BinarySource, 'open'> & { size: number },
		end: AbortSignal,
	): Promise<SendResult>;
	/** GET without credentials and without following redirects, until `end` fires. */
	get(url: string, end: AbortSignal): Promise<StreamedResponse | NoResponse>;
	/**
	 * Stores a file in n8n's binary data. Rejects if its stream breaks, `end` fires or n8n cannot store it.
	 */
	store(body: Body, fileName: string, mimeType: string, end?: AbortSignal): Promise<StoredFile>;
	/** Where n8n takes calls from outside, as it says; `undefined` where it does not. */
	webhookAddress?(): string | undefined;
}
