import { SAMPLE_RATE } from './wav';

// Taken out of the global object once: where jest runs this, each look-up of a global is slow.
const { sin, cos, exp, min, PI } = Math;

/** A two-pole resonance of unity gain at 0 Hz, as in Klatt's synthesizer. Frequencies in Hz. */
export class Resonator {
	private a = 1;
	private b = 0;
	private c = 0;
	private last = 0;
	private beforeLast = 0;

	tune(frequency: number, bandwidth: number): void {
		const decay = exp((-PI * bandwidth) / SAMPLE_RATE);
		this.c = -decay * decay;
		this.b = 2 * decay * cos((2 * PI * frequency) / SAMPLE_RATE);
		this.a = 1 - this.b - this.c;
	}

	run(input: number): number {
		const output = this.a * input + this.b * this.last + this.c * this.beforeLast;
		this.beforeLast = this.last;
		this.last = output;
		return output;
	}
}

/** A band of constant height around a frequency (a state-variable filter, stable up to 5 kHz). */
export class Band {
	private low = 0;
	private band = 0;

	run(input: number, frequency: number, sharpness: number): number {
		const f = 2 * sin((PI * min(frequency, SAMPLE_RATE / 6.5)) / SAMPLE_RATE);
		const damping = 1 / sharpness;
		this.low += f * this.band;
		const high = input - this.low - damping * this.band;
		this.band += f * high;
		return this.band * damping;
	}
}

/** One pole: takes the treble away above a frequency. */
export class LowPass {
	private value = 0;
	private readonly share: number;

	constructor(frequency: number) {
		this.share = 1 - exp((-2 * PI * frequency) / SAMPLE_RATE);
	}

	run(input: number): number {
		return (this.value += this.share * (input - this.value));
	}
}
