/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import { createWriteStream } from 'fs';
import { mkdir, rename, rm, writeFile } from 'fs/promises';
import { join } from 'path';
import { Transform, type Readable } from 'stream';
import { pipeline } from 'stream/promises';

import { ApiError } from '../errors';
import type { Media, MediaRequest } from '../media/types';

export type Render = (request: MediaRequest) => Promise<Media>;

/** A rendered output on disk. */
export interface Drawn {
	path: string;
	durationSeconds?: number;
}

/**
 * Files on disk: uploads as they came, and outputs, which are rendered when they are first asked
 * for. Names are ids, never what a client sent.
 */
export class Library {
	private readonly receiving = new Set<string>();
	private readonly drawn = new Map<string, Promise<Drawn>>();

	constructor(
		readonly directory: string,
		private readonly render: Render,
	) {}

	async open(): Promise<void> {
		await mkdir(join(this.directory, 'uploads'), { recursive: true });
		await mkdir(join(this.directory, 'outputs'), { recursive: true });
	}

	uploadPath(id: string): string {
		return join(this.directory, 'uploads', id);
	}

	/** Writes an upload to disk as it arrives. When it throws, nothing is kept. */
	async receive(id: string, stream: Readable, size: number): Promise<void> {
		if (this.receiving.has(id)) {
			throw new ApiError(403, 'permission', 'The upload address is in use.');
		}
		const wrongSize = new ApiError(400, 'invalid_request', `The file must have ${size} bytes.`);
		this.receiving.add(id);
		const part = `${this.uploadPath(id)}.part`;
		let received = 0;
		const counted = new Transform({
			transform(chunk: Buffer, _encoding, done) {
				received += chunk.length;
				done(received > size ? wrongSize : null, chunk);
			},
		});
		try {
			await pipeline(stream, counted, createWriteStream(part));
			if (received !== size) throw wrongSize;
			await rename(part, this.uploadPath(id));
		} catch (error) {
			await rm(part, { force: true });
			throw error;
		} finally {
			this.receiving.delete(id);
		}
	}

	/** An output's file, rendered on the first call. */
	async output(id: string, request: () => Promise<MediaRequest>): Promise<Drawn> {
		const drawn = this.drawn.get(id) ?? this.draw(id, request);
		this.drawn.set(id, drawn);
		// What could not be drawn is tried again the next time.
		drawn.catch(() => this.drawn.delete(id));
		return await drawn;
	}

	private async draw(id: string, request: () => Promise<MediaRequest>): Promise<Drawn> {
		const media = await this.render(await request());
		const path = join(this.directory, 'outputs', `${id}.${media.extension}`);
		await writeFile(path, media.bytes);
		return { path, durationSeconds: media.durationSeconds };
	}
}
