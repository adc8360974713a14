import { elementAt } from '../../../../src/sandbox/elementAt';

export interface Wav {
	channels: number;
	sampleRate: number;
	bitsPerSample: number;
	samples: Int16Array;
	/** Seconds. */
	duration: number;
}

/** Reads a RIFF file chunk by chunk and throws where its lengths do not add up. */
export function readWav(bytes: Buffer): Wav {
	const tag = (at: number) => bytes.toString('latin1', at, at + 4);
	if (tag(0) !== 'RIFF' || tag(8) !== 'WAVE') throw new Error('No WAV file');
	if (bytes.readUInt32LE(4) !== bytes.length - 8) throw new Error('The RIFF length is wrong');
	let format: Omit<Wav, 'samples' | 'duration'> | undefined;
	let at = 12;
	while (at < bytes.length) {
		const size = bytes.readUInt32LE(at + 4);
		const body = at + 8;
		if (body + size > bytes.length) throw new Error(`Chunk ${tag(at)} is longer than the file`);
		if (tag(at) === 'fmt ') {
			if (bytes.readUInt16LE(body) !== 1) throw new Error('Not PCM');
			format = {
				channels: bytes.readUInt16LE(body + 2),
				sampleRate: bytes.readUInt32LE(body + 4),
				bitsPerSample: bytes.readUInt16LE(body + 14),
			};
			const frame = (format.channels * format.bitsPerSample) / 8;
			if (bytes.readUInt32LE(body + 8) !== format.sampleRate * frame) throw new Error('Byte rate');
			if (bytes.readUInt16LE(body + 12) !== frame) throw new Error('Block align');
		}
		if (tag(at) === 'data') {
			if (!format) throw new Error('Data before format');
			const samples = Int16Array.from({ length: size / 2 }, (_, i) =>
				bytes.readInt16LE(body + i * 2),
			);
			return { ...format, samples, duration: samples.length / format.sampleRate };
		}
		at = body + size;
	}
	throw new Error('No data chunk');
}

/** Root mean square, 0 to 1. */
export function loudness(samples: Int16Array): number {
	return Math.sqrt(samples.reduce((sum, s) => sum + (s / 32_768) ** 2, 0) / samples.length);
}

/** The mean frequency in Hz, weighted by energy: how bright a sound is. */
export function brightness({ samples, sampleRate }: Wav): number {
	let [change, level] = [0, 0];
	let [before = 0] = samples;
	for (const sample of samples.subarray(1)) {
		change += (sample - before) ** 2;
		level += sample ** 2;
		before = sample;
	}
	return (Math.sqrt(change / level) * sampleRate) / (2 * Math.PI);
}

/** The highest sample, 0 to 1. */
export function peak(samples: Int16Array): number {
	return samples.reduce((highest, sample) => Math.max(highest, Math.abs(sample)), 0) / 32_768;
}

/** Likeness of two waves, 1 for the same one and about 0 for unrelated ones. */
export function correlation(a: Int16Array, b: Int16Array): number {
	const length = Math.min(a.length, b.length);
	let [both, ofA, ofB] = [0, 0, 0];
	for (let i = 0; i < length; i++) {
		const [left, right] = [elementAt(a, i), elementAt(b, i)];
		both += left * right;
		ofA += left * left;
		ofB += right * right;
	}
	return Math.abs(both) / Math.sqrt(ofA * ofB);
}

/** The fundamental frequency in Hz, by autocorrelation, of the loudest tenth of a second. */
export function pitch({ samples, sampleRate }: Wav): number {
	const window = Math.round(sampleRate / 10);
	let start = 0;
	let loudest = 0;
	for (let i = 0; i + 2 * window < samples.length; i += window >> 1) {
		const level = loudness(samples.subarray(i, i + window));
		if (level > loudest) [loudest, start] = [level, i];
	}
	let [best, bestLag] = [-1, 0];
	for (let lag = Math.round(sampleRate / 400); lag < sampleRate / 60; lag++) {
		let sum = 0;
		for (let i = 0; i < window; i++)
			sum += (samples[start + i] ?? 0) * (samples[start + i + lag] ?? 0);
		// A multiple of the period fits as well: it has to be better by more than a hair.
		if (sum > best * 1.05) [best, bestLag] = [sum, lag];
	}
	return sampleRate / bestLag;
}
