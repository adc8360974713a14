/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { randomUUID } from 'crypto';
import { createWriteStream, mkdirSync, renameSync } from 'fs';
import { rm, writeFile } from 'fs/promises';
import { join } from 'path';
import type { Readable } from 'stream';
import { pipeline } from 'stream/promises';

import type { Media, MediaRequest } from '../media/types';

export type Render = (request: MediaRequest) => Promise<Media>;

/** A rendered output on disk. */
export interface Drawn {
	path: string;
	durationSeconds?: number;
}

/** Outputs on disk; an older one is rendered again when it is asked for. */
const MOST_DRAWN = 1_000;

/**
 * Files on disk: uploads as they came, and outputs, which are rendered when they are first asked
 * for. Names are ids, never what a client sent.
 */
export class Library {
	private readonly drawn = new Map<string, Promise<Drawn>>();

	constructor(
		private readonly directory: string,
		private readonly render: Render,
	) {
		mkdirSync(join(directory, 'uploads'), { recursive: true });
		mkdirSync(join(directory, 'outputs'), { recursive: true });
	}

	uploadPath(id: string): string {
		return join(this.directory, 'uploads', id);
	}

	/**
	 * Writes what is uploaded to disk as it arrives, as a file of its own: others may send to the same
	 * address meanwhile. When it is cut off, or came too late, nothing is kept.
	 *
	 * @param claim called once all has arrived; throws where it is not to become the upload of that id
	 */
	async receive(id: string, stream: Readable, claim: () => void): Promise<void> {
		const part = `${this.uploadPath(id)}.${randomUUID()}`;
		try {
			await pipeline(stream, createWriteStream(part));
			claim();
			renameSync(part, this.uploadPath(id));
		} finally {
			await rm(part, { force: true });
		}
	}

	/** An output's file, rendered on the first call. */
	async output(name: string, request: () => Promise<MediaRequest>): Promise<Drawn> {
		const drawn = this.drawn.get(name) ?? this.draw(name, request);
		// The one that was asked for last is the last to go.
		this.drawn.delete(name);
		this.drawn.set(name, drawn);
		// What could not be drawn is tried again the next time.
		drawn.catch(() => this.drawn.delete(name));
		const [oldest] = this.drawn;
		if (oldest && this.drawn.size > MOST_DRAWN) this.drop(...oldest);
		return await drawn;
	}

	private drop(name: string, drawn: Promise<Drawn>): void {
		this.drawn.delete(name);
		void drawn.then(async ({ path }) => await rm(path, { force: true })).catch(() => undefined);
	}

	private async draw(name: string, request: () => Promise<MediaRequest>): Promise<Drawn> {
		const { bytes, durationSeconds } = await this.render(await request());
		const path = join(this.directory, 'outputs', name);
		await writeFile(path, bytes);
		return { path, durationSeconds };
	}
}
