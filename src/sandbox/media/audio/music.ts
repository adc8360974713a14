import { yieldToEventLoop } from '../yieldToEventLoop';
import { clamp, randomFrom } from '../random';
import type { Media, MediaRequest } from '../types';
import { compose, pitchOf, type Composition } from './composition';
import { fade, foldIntoLoop } from './edges';
import { bass, bell, hat, kick, pad, plucked, snare } from './instruments';
import { sing } from './singing';
import { SAMPLE_RATE, toWav } from './wav';
import { cyclic } from '../../elementAt';

const DEFAULT_SECONDS = 8;
const MAX_SECONDS = 120;
const LOOP_OVERLAP_SECONDS = 1;

/** As long as asked, 1 to 120 seconds. */
export function musicSeconds({ durationSeconds }: Pick<MediaRequest, 'durationSeconds'>): number {
	return clamp(durationSeconds, 1, MAX_SECONDS, DEFAULT_SECONDS);
}

/**
 * A small seeded piece: chords, bass, a melody and a beat, in the mood of the prompt; lyrics are
 * sung on the melody.
 */
export async function renderMusic(request: MediaRequest): Promise<Media> {
	const length = Math.round(musicSeconds(request) * SAMPLE_RATE);
	const overlap = request.loop ? LOOP_OVERLAP_SECONDS * SAMPLE_RATE : 0;
	const track = new Float32Array(length + overlap);
	const random = randomFrom('music', request.prompt, request.seed, request.index);
	const piece = compose(request.prompt, random);
	const instruments = {
		lead: piece.lead === 'bell' ? bell : plucked(random),
		snare: snare(random),
		hat: hat(random),
	};
	const yieldNow = yieldToEventLoop();
	const eighth = (60 / piece.tempo / 2) * SAMPLE_RATE;
	const eighths = Math.ceil(track.length / eighth);
	for (let i = 0; i < eighths; i++) {
		const start = Math.round(i * eighth);
		const moment = { bar: Math.floor(i / 8), eighth: i % 8, start, duration: Math.round(eighth) };
		playChord(track, piece, moment);
		playBeat(track, piece, moment, instruments);
		const degree = cyclic(piece.melody, moment.bar)[moment.eighth];
		// The voice carries the tune where there is one.
		if (degree !== undefined && !request.lyrics) {
			const frequency = pitchOf(piece, degree, 1);
			instruments.lead(track, { start, length: moment.duration, frequency, gain: 0.3 });
		}
		await yieldNow();
	}
	if (request.lyrics) await sing(track, piece, request.lyrics, request);
	if (request.loop) return toWav(foldIntoLoop(track, length), request.volume);
	return toWav(fade(track, 0.01, Math.min(1.2, (length / SAMPLE_RATE) * 0.25)), request.volume);
}

interface Moment {
	bar: number;
	/** 0 to 7 within the bar. */
	eighth: number;
	/** Samples. */
	start: number;
	duration: number;
}

function playChord(
	track: Float32Array,
	piece: Composition,
	{ bar, eighth, start, duration }: Moment,
) {
	const root = cyclic(piece.chords, bar);
	if (eighth === 0) {
		for (const third of [0, 2, 4]) {
			pad(track, {
				start,
				length: duration * 8,
				frequency: pitchOf(piece, root + third),
				gain: 0.075,
			});
		}
	}
	if (eighth === 0 || eighth === 3 || eighth === 6) {
		const frequency = pitchOf(piece, root, -1);
		bass(track, { start, length: duration * (eighth === 6 ? 2 : 3), frequency, gain: 0.3 });
	}
}

function playBeat(
	track: Float32Array,
	piece: Composition,
	{ eighth, start }: Moment,
	drums: { snare: typeof kick; hat: typeof kick },
) {
	if (piece.beat === 'none') return;
	const full = piece.beat === 'full';
	const at = { start, length: 0 };
	if (eighth === 0 || (full && eighth === 4) || (full && eighth === 7)) {
		kick(track, { ...at, frequency: 48, gain: full ? 0.6 : 0.4 });
	}
	if (eighth === 2 || eighth === 6) {
		drums.snare(track, { ...at, frequency: 190, gain: full ? 0.3 : 0.14 });
	}
	if (full || eighth % 2 === 0)
		drums.hat(track, { ...at, frequency: 0, gain: eighth % 2 ? 0.1 : 0.06 });
}
