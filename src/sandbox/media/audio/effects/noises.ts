import { between } from '../../random';
import { Band, LowPass } from '../filter';
import { sine, type Effect } from './effect';
import { cyclic } from '../../../elementAt';

// Taken out of the global object once: where jest runs this, each look-up of a global is slow.
const { exp, floor } = Math;

/** Something heavy: a falling thump under a burst of rumbling noise. */
export const impact: Effect = (random) => {
	const low = between(random, 34, 60);
	const fall = between(random, 1.6, 3.4);
	const color = between(random, 180, 420);
	const [rumble, muffle] = [new LowPass(color), new LowPass(color)];
	const crack = new Band();
	return (t) => {
		const noise = random() * 2 - 1;
		const thump = sine(low * t + 5 * (1 - exp(-t * 14))) * exp(-t * fall);
		return (
			thump +
			5 * muffle.run(rumble.run(noise)) * exp(-t * fall * 0.7) +
			crack.run(noise, 2400, 1) * exp(-t * 30)
		);
	};
};

/** Air: a band of noise that sweeps up and down again. */
export const whoosh: Effect = (random, seconds) => {
	const [low, high] = [between(random, 180, 400), between(random, 1800, 3200)];
	const middle = between(random, 0.35, 0.6) * seconds;
	const width = seconds * between(random, 0.14, 0.24);
	const band = new Band();
	return (t) => {
		const near = exp(-((t - middle) ** 2) / (2 * width * width));
		return band.run(random() * 2 - 1, low + (high - low) * near, 2.2) * near;
	};
};

/** Wind, rain or surf: noise whose colour and strength come and go. */
export const weather: Effect = (random) => {
	const rate = between(random, 0.15, 0.45);
	const start = random();
	const dark = between(random, 300, 700);
	const bright = between(random, 1400, 3000);
	const [wind, rain] = [new Band(), new Band()];
	const drops = between(random, 0.0006, 0.003);
	let drop = 0;
	return (t) => {
		const gust = 0.55 + 0.3 * sine(t * rate + start) + 0.15 * sine(t * rate * 2.7);
		const noise = random() * 2 - 1;
		drop = random() < drops ? 1 : drop * 0.992;
		return (
			wind.run(noise, dark * (0.6 + gust), 1.6) * gust +
			0.35 * rain.run(noise, bright, 0.8) * (0.4 + drop)
		);
	};
};

/** Footsteps, knocks, typing: short thuds, each a little different. */
export const knocks: Effect = (random) => {
	const every = between(random, 0.24, 0.55);
	const body = new Band();
	const tunes = Array.from({ length: 16 }, () => ({
		f: between(random, 110, 420),
		late: between(random, 0, 0.05),
		gain: between(random, 0.6, 1),
	}));
	return (t) => {
		const { f, late, gain } = cyclic(tunes, floor(t / every));
		const since = (t % every) - late;
		if (since < 0) return body.run(0, f, 3);
		return (
			gain *
			(3 * body.run((random() * 2 - 1) * exp(-since * 60), f * 3, 3) +
				0.8 * sine(f * since) * exp(-since * 34))
		);
	};
};
