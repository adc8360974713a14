import { SAMPLE_RATE } from './wav';

/** Fades both ends, so that nothing clicks. Seconds. In place. */
export function fade(samples: Float32Array, fadeIn: number, fadeOut: number): Float32Array {
	const rise = Math.min(samples.length, Math.round(fadeIn * SAMPLE_RATE));
	const fall = Math.min(samples.length, Math.round(fadeOut * SAMPLE_RATE));
	const scale = (at: number, gain: number) => {
		samples[at] = (samples[at] ?? 0) * gain;
	};
	for (let i = 0; i < rise; i++) scale(i, i / rise);
	for (let i = 0; i < fall; i++) scale(samples.length - 1 - i, i / fall);
	return samples;
}

/**
 * Makes a loop of samples that are longer than the loop: what comes after its end is laid over its
 * beginning, fading out as the beginning fades in, so that the last sample leads to the first.
 */
export function foldIntoLoop(samples: Float32Array, length: number): Float32Array {
	const loop = samples.slice(0, length);
	const overlap = Math.min(length, samples.length - length);
	for (let i = 0; i < overlap; i++) {
		const share = i / overlap;
		loop[i] = (samples[i] ?? 0) * share + (samples[length + i] ?? 0) * (1 - share);
	}
	return loop;
}
