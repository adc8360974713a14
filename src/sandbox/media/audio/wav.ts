import type { Media } from '../types';

// Taken out of the global object once: where jest runs this, each look-up of a global is slow.
const { abs, max, round, tanh } = Math;

/** Samples a second: enough for speech and a melody, and half the bytes of 44,100. */
export const SAMPLE_RATE = 22_050;

const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;
/** -1.5 dB, so that no player clips. */
const PEAK = 0.84;

/**
 * Samples of any level to a mono WAV of 16-bit PCM. The loudest sample comes to `volume` times the
 * usual peak; above 1 the tops are rounded off instead of cut.
 */
export function toWav(samples: Float32Array, volume = 1): Media {
	let loudest = 0;
	for (const sample of samples) loudest = max(loudest, abs(sample));
	const gain = loudest > 0 ? volume / loudest : 0;
	const data = samples.length * BYTES_PER_SAMPLE;
	const bytes = Buffer.alloc(HEADER_BYTES + data);
	bytes.write('RIFF', 0, 'latin1');
	bytes.writeUInt32LE(bytes.length - 8, 4);
	bytes.write('WAVEfmt ', 8, 'latin1');
	bytes.writeUInt32LE(16, 16);
	bytes.writeUInt16LE(1, 20);
	bytes.writeUInt16LE(1, 22);
	bytes.writeUInt32LE(SAMPLE_RATE, 24);
	bytes.writeUInt32LE(SAMPLE_RATE * BYTES_PER_SAMPLE, 28);
	bytes.writeUInt16LE(BYTES_PER_SAMPLE, 32);
	bytes.writeUInt16LE(16, 34);
	bytes.write('data', 36, 'latin1');
	bytes.writeUInt32LE(data, 40);
	const shape = volume > 1 ? (level: number) => tanh(level) / tanh(volume) : (l: number) => l;
	for (const [i, sample] of samples.entries()) {
		const level = shape(sample * gain) * PEAK;
		bytes.writeInt16LE(round(level * 32_767), HEADER_BYTES + i * BYTES_PER_SAMPLE);
	}
	return {
		bytes,
		mediaType: 'audio/wav',
		extension: 'wav',
		durationSeconds: samples.length / SAMPLE_RATE,
	};
}
