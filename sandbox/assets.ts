/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { join } from 'path';

/**
 * A file that is read when the sandbox runs, by its path in this folder. The package is laid out
 * like this folder, with all code in one file at its root, so that the paths are the same there.
 */
export const asset = (...path: string[]) => join(__dirname, ...path);
