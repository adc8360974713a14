import { createHash } from 'crypto';
import { onAbort } from '../base/abort';
import type { Clock } from '../base/types';
import type { Body } from '../transport/host';
import type { LocalFile } from './content';
import { retry, stop, type Setback } from './transfer';

/** A storage that takes nothing for so long takes nothing any more, in ms. */
const SILENCE_MS = 60_000;

/** In bytes: few, so that a slow line still takes one within the time of silence. */
const PIECE_BYTES = 16 * 1024;

/** Published code may not import Node's streams: a hash descends from them. */
const { from: streamOf } = createHash('sha256').constructor as unknown as {
	from: (pieces: AsyncIterable<Uint8Array>) => NodeJS.ReadableStream & { destroy: () => void };
};

async function* inPieces(body: Body): AsyncGenerator<Uint8Array, void> {
	const chunks = Buffer.isBuffer(body) ? [body] : body;
	for await (const chunk of chunks) {
		const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
		for (let at = 0; at < bytes.length; at += PIECE_BYTES)
			yield bytes.subarray(at, at + PIECE_BYTES);
	}
}

const UNITS = ['bytes', 'kB', 'MB', 'GB'];

/** Such as `12.5 MB`. */
function sized(bytes: number): string {
	const power = Math.max(0, Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes || 1) / 3)));
	return `${Number((bytes / 1_000 ** power).toPrecision(3))} ${UNITS[power] ?? ''}`;
}

/**
 * One try at sending a file. Bytes that go are no wait for an answer: it ends when no more of them are
 * taken, and the time of the answer starts when the last has left.
 * @param answerMs how long the answer may take
 */
export class Outgoing {
	private readonly ended = new AbortController();
	private readonly over = new AbortController();
	private readonly startedAt: number;
	/** When it has begun, and again whenever some of the file is taken. */
	private takenAt: number;
	private gone = 0;
	/** Whether n8n has yet to give what goes next. */
	private isRead = true;
	private setback: Setback | undefined;

	/** Fires when there is no use in waiting any longer. */
	readonly end: AbortSignal;

	constructor(
		private readonly file: LocalFile,
		private readonly clock: Clock,
		private readonly answerMs: number,
		end: AbortSignal,
	) {
		this.startedAt = clock.monotonic();
		this.takenAt = this.startedAt;
		this.end = AbortSignal.any([end, this.over.signal]);
		void this.watch();
	}

	/** The file, of which is noted how much was taken. At each hop of the way it goes out anew. */
	async open(): Promise<Body> {
		this.gone = 0;
		this.isRead = true;
		const body = await this.file.open();
		const dispose = onAbort(this.end, () => void (body as { destroy?: () => void }).destroy?.());
		const counted = async function* (this: Outgoing) {
			try {
				for await (const piece of inPieces(body)) {
					this.isRead = false;
					yield piece;
					this.isRead = true;
					this.gone += piece.length;
					this.takenAt = this.clock.monotonic();
				}
			} finally {
				dispose();
			}
		};
		return streamOf(counted.call(this));
	}

	/** Ends the watch. @returns why it has ended the try itself */
	close(): Setback | undefined {
		this.ended.abort();
		return this.setback;
	}

	/** How much had gone, and how fast; empty where nothing had. */
	progress(): string {
		const { gone, file } = this;
		if (gone === 0) return '';
		const seconds = Math.max(0.001, (this.takenAt - this.startedAt) / 1_000);
		return `, after ${sized(gone)} of ${sized(file.size)} had gone at ${sized(gone / seconds)} a second`;
	}

	private async watch(): Promise<void> {
		const { clock, ended } = this;
		while (!ended.signal.aborted) {
			const isWhole = this.gone >= this.file.size;
			const limit = isWhole ? this.answerMs : SILENCE_MS;
			const left = this.takenAt + limit - clock.monotonic();
			if (left > 0) {
				await clock.sleep(left, ended.signal);
				continue;
			}
			const ofFile = this.isRead
				? 'n8n gave nothing more of the file'
				: 'the storage took nothing more';
			const seconds = `for ${limit / 1_000} s`;
			this.setback = isWhole
				? retry(`the storage gave no answer ${seconds}`)
				: stop(`${ofFile} ${seconds}`);
			this.over.abort();
			return;
		}
	}
}
