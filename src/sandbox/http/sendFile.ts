import type { Response } from 'express';

/** Sends a file, or the range asked for. */
export async function sendFile(response: Response, path: string, mediaType: string): Promise<void> {
	response.setHeader('content-type', mediaType);
	response.setHeader('cache-control', 'private, max-age=0');
	await new Promise<void>((resolve) => {
		// A client that disconnects half-way is not an error of the sandbox.
		response.sendFile(path, { dotfiles: 'allow', cacheControl: false }, () => resolve());
	});
}
