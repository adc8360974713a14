import { createHash } from 'crypto';
import { WaveFile } from 'wavefile';

import type { Media, MediaRequest } from './types';

// Taken out of the global object once: where jest runs this, each look-up of a global is slow.
const { exp, floor, max, min, PI, round, sin } = Math;

/** Samples a second. */
const SAMPLE_RATE = 16_000;

/** Steps of a scale from its root: the chords I, V, vi and IV, which go round. */
const CHORDS = [
	[0, 4, 7],
	[7, 11, 14],
	[9, 12, 16],
	[5, 9, 12],
];
const CHORD_SECONDS = 1.5;

/** As long as asked, 1 to 120 seconds: four chords, over and over, in a pitch of the seed's. */
export async function renderMusic(request: MediaRequest): Promise<Media> {
	const root = 110 * 2 ** (seedOf(request) / 65_536);
	const length = CHORD_SECONDS * SAMPLE_RATE;
	const once = CHORDS.flatMap((chord) => {
		const notes = chord.map((step) => root * 2 ** (step / 12));
		return Array.from({ length }, (_, at) => {
			const fading = exp(-at / SAMPLE_RATE) * min(1, at / 200);
			return notes.reduce((sum, note) => sum + tone(note, at), 0) * fading * 0.2;
		});
	});
	return toWav(stretched(once, seconds(request, 1, 120, 8)), request.volume);
}

/** As long as asked, 0.2 to 30 seconds: gusts of noise as high and as fast as the seed has it. */
export async function renderEffect(request: MediaRequest): Promise<Media> {
	const seed = seedOf(request);
	const [gusts, damping] = [1 + (seed % 5), 0.05 + (seed % 90) / 100];
	let level = 0;
	const second = Array.from({ length: SAMPLE_RATE }, (_, at) => {
		const noise = sin((at + seed) * 12.9898) * 43_758.5453;
		level += ((noise - floor(noise)) * 2 - 1 - level) * damping;
		return level * sin((PI * at * gusts) / SAMPLE_RATE) ** 2;
	});
	return toWav(stretched(second, seconds(request, 0.2, 30, 2.5)), request.volume);
}

function seedOf({ kind, prompt, seed, index }: MediaRequest): number {
	return createHash('sha256').update(`${kind} ${seed} ${index} ${prompt}`).digest().readUInt16BE();
}

/** A note with two overtones; `at` counts samples. */
function tone(frequency: number, at: number): number {
	const angle = (2 * PI * frequency * at) / SAMPLE_RATE;
	return sin(angle) + sin(2 * angle) / 3 + sin(3 * angle) / 6;
}

function seconds(
	{ durationSeconds: asked }: MediaRequest,
	low: number,
	high: number,
	usual: number,
) {
	return asked === undefined ? usual : min(high, max(low, asked));
}

/** Samples repeated until they last so long. */
function stretched(samples: number[], length: number): Float64Array {
	return silence(length).map((_, at) => (samples[at % samples.length] ?? 0) * 32_767 * 0.8);
}

/** A mono WAV of 16-bit PCM, `volume` times as loud as its samples; what is too loud is cut off. */
export function toWav(samples: ArrayLike<number>, volume = 1): Media {
	const louder = Float64Array.from(samples, (sample) => sample * volume);
	const wav = new WaveFile();
	wav.fromScratch(1, SAMPLE_RATE, '16', louder);
	return { bytes: Buffer.from(wav.toBuffer()), durationSeconds: samples.length / SAMPLE_RATE };
}

/** The samples of a file as {@link toWav} and the speech synthesizer write it. */
export const samplesOf = (wav: Buffer) => new WaveFile(wav).getSamples();

/** Silence of that many seconds. */
export const silence = (length: number) => new Float64Array(round(length * SAMPLE_RATE));
