import { between, pick } from '../../random';
import { LowPass } from '../filter';
import { SAMPLE_RATE } from '../wav';
import { sine, type Effect } from './effect';
import { cyclic } from '../../../elementAt';

// Taken out of the global object once: where jest runs this, each look-up of a global is slow.
const { exp, min, floor, sin, PI } = Math;

/** A toy laser: a tone that falls fast, again and again. */
export const zap: Effect = (random) => {
	const every = between(random, 0.28, 0.6);
	const [top, bottom] = [between(random, 1800, 3200), between(random, 90, 260)];
	const speed = between(random, 7, 13);
	return (t) => {
		const since = t % every;
		const turns = bottom * since + ((top - bottom) / speed) * (1 - exp(-since * speed));
		return (sine(turns) + 0.3 * sine(turns * 2)) * exp(-since * 6) * min(1, since / 0.003);
	};
};

/** Bells, glass, coins: inharmonic partials. */
export const chime: Effect = (random) => {
	const base = between(random, 420, 980);
	const every = between(random, 0.35, 0.9);
	const partials = [1, 2.76, 5.4, 8.93].map((ratio, i) => ({
		ratio,
		gain: 1 / (i + 1.2),
		decay: 2.2 + i * 2.4,
	}));
	const tune = Array.from({ length: 16 }, () => pick(random, [1, 1.125, 1.25, 1.5, 1.667, 2]));
	return (t) => {
		let sum = 0;
		// The last three notes still ring.
		for (let strike = floor(t / every); strike >= 0 && strike > t / every - 3; strike--) {
			const since = t - strike * every;
			const f = base * cyclic(tune, strike);
			for (const { ratio, gain, decay } of partials) {
				sum += gain * sine(f * ratio * since) * exp(-since * decay) * min(1, since / 0.002);
			}
		}
		return sum;
	};
};

/** Birds, crickets, droids: tones that glide in quick groups. */
export const chirps: Effect = (random) => {
	const every = between(random, 0.4, 0.75);
	const songs = Array.from({ length: 8 }, () => ({
		f: between(random, 1500, 3200),
		glide: between(random, -700, 900),
		notes: 1 + floor(random() * 4),
		trill: between(random, 18, 34),
	}));
	let turns = 0;
	return (t) => {
		const { f, glide, notes, trill } = cyclic(songs, floor(t / every));
		const since = t % every;
		const note = since * 9;
		turns += (f + glide * (note % 1) + 180 * sine(trill * t)) / SAMPLE_RATE;
		return note < notes ? sine(turns) * sin(PI * (note % 1)) : 0;
	};
};

/** Motors and machines: a rough low tone with a throb. */
export const engine: Effect = (random) => {
	const idle = between(random, 38, 75);
	const throb = between(random, 5, 11);
	const soft = new LowPass(between(random, 500, 1100));
	let turns = 0;
	return (t) => {
		turns += (idle * (1 + 0.25 * min(1, t / 1.5) + 0.04 * sine(t * 0.9))) / SAMPLE_RATE;
		const saw = 2 * (turns % 1) - 1;
		return (
			soft.run(saw + 0.5 * (2 * ((turns * 2.01) % 1) - 1) + 0.4 * (random() * 2 - 1)) *
			(0.75 + 0.25 * sine(t * throb))
		);
	};
};
