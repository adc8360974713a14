import type { Random } from '../random';
import { LowPass } from './filter';
import { SAMPLE_RATE } from './wav';

// Taken out of the global object once: where jest runs this, each look-up of a global is slow.
const { sin, exp, min, max, PI } = Math;

/** A sound that starts at a sample and is added to what is there. */
export interface Note {
	/** Samples. */
	start: number;
	length: number;
	/** Hz. */
	frequency: number;
	gain: number;
}

export type Instrument = (track: Float32Array, note: Note) => void;

/** Adds what the function gives for each second since the start; whatever lies beyond is cut. */
function add(track: Float32Array, note: Note, tail: number, wave: (seconds: number) => number) {
	const end = min(track.length, note.start + note.length + Math.round(tail * SAMPLE_RATE));
	for (let i = note.start; i < end; i++) {
		track[i] = (track[i] ?? 0) + note.gain * wave((i - note.start) / SAMPLE_RATE);
	}
}

const sine = (turns: number) => sin(2 * PI * turns);

/** Several slightly detuned voices that swell and fade: a warm bed for chords. */
export const pad: Instrument = (track, note) => {
	const held = note.length / SAMPLE_RATE;
	const release = 0.6;
	add(track, note, release, (t) => {
		const rise = min(1, t / 0.25);
		const fall = t < held ? 1 : max(0, 1 - (t - held) / release);
		const f = note.frequency * t;
		const body = sine(f) + 0.5 * sine(f * 1.004 + 0.3) + 0.5 * sine(f * 0.996 + 0.6);
		return rise * fall * (body + 0.28 * sine(f * 2.003) + 0.1 * sine(f * 3.001));
	});
};

/** A struck, bell-like tone by frequency modulation. */
export const bell: Instrument = (track, note) => {
	add(track, note, 0.7, (t) => {
		const strike = exp(-t * 3.6);
		const f = note.frequency * t;
		return min(1, t / 0.004) * strike * sine(f + 0.32 * exp(-t * 7) * sine(f * 3.0));
	});
};

/** A plucked string after Karplus and Strong: noise that circles through a damped delay line. */
export function plucked(random: Random): Instrument {
	return (track, note) => {
		const line = new Float32Array(max(2, Math.round(SAMPLE_RATE / note.frequency)));
		const soft = new LowPass(3200);
		for (let i = 0; i < line.length; i++) line[i] = soft.run(random() * 2 - 1);
		let at = 0;
		add(track, note, 0.5, () => {
			const next = (at + 1) % line.length;
			const value = line[at] ?? 0;
			line[at] = 0.4975 * (value + (line[next] ?? 0));
			at = next;
			return value * 1.8;
		});
	};
}

export const bass: Instrument = (track, note) => {
	const held = note.length / SAMPLE_RATE;
	add(track, note, 0.05, (t) => {
		const shape = min(1, t / 0.01) * exp(-t * 1.8) * (t < held ? 1 : max(0, 1 - (t - held) / 0.05));
		const f = note.frequency * t;
		return shape * (sine(f) + 0.35 * sine(f * 2) + 0.12 * sine(f * 3));
	});
};

/** The frequency is that to which the drum falls. */
export const kick: Instrument = (track, note) => {
	add(track, { ...note, length: 0 }, 0.32, (t) => {
		const falling = note.frequency * t + 4.5 * (1 - exp(-t * 32));
		return exp(-t * 11) * sine(falling) + 0.25 * exp(-t * 220);
	});
};

export function snare(random: Random): Instrument {
	return (track, note) => {
		add(track, { ...note, length: 0 }, 0.22, (t) => {
			const rattle = (random() * 2 - 1) * exp(-t * 22);
			return 0.7 * rattle + 0.5 * exp(-t * 28) * sine(note.frequency * t);
		});
	};
}

/** The difference of successive noise: only the treble of it. */
export function hat(random: Random): Instrument {
	return (track, note) => {
		let last = 0;
		add(track, { ...note, length: 0 }, 0.08, (t) => {
			const noise = random() * 2 - 1;
			const treble = noise - last;
			last = noise;
			return treble * exp(-t * 60);
		});
	};
}
