/**
 * Body of POST /files. `size` is in bytes.
 * Specification: Operation details, POST /files.
 */
export interface CreateFile {
	filename: string;
	content_type: string;
	size: number;
}

/**
 * A presigned upload: the file is PUT to `upload_url` with exactly `upload_headers`, then `url` is passed
 * in a generation, voice or persona request. Further fields are not shown.
 * Specification: Operation details, POST /files.
 */
export interface FileUpload {
	[field: string]: unknown;
	upload_url: string;
	upload_headers: Record<string, string>;
	url: string;
}
