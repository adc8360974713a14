/**
 * Body of POST /files. `size` is in bytes.
 * Specification: Operation details, POST /files.
 */
export interface CreateFile {
	filename: string;
	content_type: string;
	size: number;
}
