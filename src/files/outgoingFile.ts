import { createHash } from 'crypto';
import { offAbort, onAbort } from '../base/abort';
import type { Clock } from '../base/types';
import type { Body } from '../transport/host';
import type { LocalFile } from './localFile';
import { permanentFailure, silentFailure, type FailedAttempt } from './transfer';

/** If a storage takes no bytes for so long, it takes no more at all, in ms. */
const SILENCE_MS = 60_000;

/**
 * The size of the pieces that are sent, in bytes. They are small, so that even a slow line takes one in less
 * than the time of silence.
 */
const PIECE_BYTES = 16 * 1024;

/** The class of Node's streams, which published code may not import. A hash is one of its descendants. */
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

/** An amount of bytes in words, such as `12.5 MB`. */
function sized(bytes: number): string {
	const power = Math.max(0, Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes || 1) / 3)));
	return `${Number((bytes / 1_000 ** power).toPrecision(3))} ${UNITS[power] ?? ''}`;
}

/**
 * One attempt to send a file. The time limit of an answer does not count while bytes are on their way: the
 * attempt ends when the storage takes no more of them, and the time for the answer starts when the last byte
 * has left.
 * @param answerMs how long the answer may take
 */
export class Outgoing {
	/** Fires when the attempt is over, so that nobody watches it any more. */
	private readonly closed = new AbortController();
	/** Fires when nothing moves any more. */
	private readonly stalled = new AbortController();
	private readonly startedAt: number;
	/** When the storage last took a piece of the file; at first, when the attempt began. */
	private takenAt: number;
	/** How many bytes the storage has taken. */
	private sentBytes = 0;
	/** Whether n8n has not given the next piece yet. */
	private awaitsN8n = true;
	private failed: FailedAttempt | undefined;

	/** Fires when it is of no use to wait any longer. */
	readonly mustEnd: AbortSignal;

	constructor(
		private readonly file: LocalFile,
		private readonly clock: Clock,
		private readonly answerMs: number,
		end: AbortSignal,
	) {
		this.startedAt = clock.monotonic();
		this.takenAt = this.startedAt;
		this.mustEnd = AbortSignal.any([end, this.stalled.signal]);
		void this.watch();
	}

	/**
	 * Opens the file, and counts how much of it was taken. After a redirect the file is sent from its
	 * beginning.
	 */
	async open(): Promise<Body> {
		this.sentBytes = 0;
		this.awaitsN8n = true;
		const body = await this.file.open();
		const stop = () => void (body as { destroy?: () => void }).destroy?.();
		onAbort(this.mustEnd, stop);
		const counted = async function* (this: Outgoing) {
			try {
				for await (const piece of inPieces(body)) {
					this.awaitsN8n = false;
					yield piece;
					this.awaitsN8n = true;
					this.sentBytes += piece.length;
					this.takenAt = this.clock.monotonic();
				}
			} finally {
				offAbort(this.mustEnd, stop);
			}
		};
		return streamOf(counted.call(this));
	}

	/**
	 * Ends the watch over the attempt.
	 * @returns why the watch has ended the attempt, if it has
	 */
	close(): FailedAttempt | undefined {
		this.closed.abort();
		return this.failed;
	}

	/** How much of the file was sent, and how fast; empty if nothing was sent. */
	progress(): string {
		const { sentBytes, file } = this;
		if (sentBytes === 0) return '';
		const seconds = Math.max(0.001, (this.takenAt - this.startedAt) / 1_000);
		return `, after ${sized(sentBytes)} of ${sized(file.size)} had gone at ${sized(sentBytes / seconds)} a second`;
	}

	private async watch(): Promise<void> {
		const { clock, closed } = this;
		while (!closed.signal.aborted) {
			const isWhole = this.sentBytes >= this.file.size;
			const limit = isWhole ? this.answerMs : SILENCE_MS;
			const left = this.takenAt + limit - clock.monotonic();
			if (left > 0) {
				await clock.sleep(left, closed.signal);
				continue;
			}
			const seconds = `for ${limit / 1_000} s`;
			if (isWhole) this.failed = silentFailure(`the storage gave no answer ${seconds}`);
			else if (this.awaitsN8n)
				this.failed = permanentFailure(`n8n gave nothing more of the file ${seconds}`);
			else {
				// Most of a large file may have gone: it is not sent once more.
				const tookNothing = silentFailure(`the storage took nothing more ${seconds}`);
				this.failed = { ...tookNothing, next: 'never' };
			}
			this.stalled.abort();
			return;
		}
	}
}
