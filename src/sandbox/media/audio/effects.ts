import { between, pick, type Random } from '../random';
import { Band, LowPass } from './filter';
import { SAMPLE_RATE } from './wav';

// Taken out of the global object once: where jest runs this, each look-up of a global is slow.
const { sin, exp, min, floor, PI } = Math;

/** The level at a time in seconds; called once for each sample, in order. */
type Wave = (t: number) => number;
/** All chance that shapes the sound is used up before the first sample; noise goes on. */
export type Effect = (random: Random, seconds: number) => Wave;

const sine = (turns: number) => sin(2 * PI * turns);

/** Something heavy: a falling thump under a burst of rumbling noise. */
const impact: Effect = (random) => {
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
const whoosh: Effect = (random, seconds) => {
	const [low, high] = [between(random, 180, 400), between(random, 1800, 3200)];
	const middle = between(random, 0.35, 0.6) * seconds;
	const width = seconds * between(random, 0.14, 0.24);
	const band = new Band();
	return (t) => {
		const near = exp(-((t - middle) ** 2) / (2 * width * width));
		return band.run(random() * 2 - 1, low + (high - low) * near, 2.2) * near;
	};
};

/** A toy laser: a tone that falls fast, again and again. */
const zap: Effect = (random) => {
	const every = between(random, 0.28, 0.6);
	const [top, bottom] = [between(random, 1800, 3200), between(random, 90, 260)];
	const speed = between(random, 7, 13);
	return (t) => {
		const since = t % every;
		const turns = bottom * since + ((top - bottom) / speed) * (1 - exp(-since * speed));
		return (sine(turns) + 0.3 * sine(turns * 2)) * exp(-since * 6) * min(1, since / 0.003);
	};
};

/** Wind, rain or surf: noise whose colour and strength come and go. */
const weather: Effect = (random) => {
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

/** Bells, glass, coins: partials that are no multiples of one another. */
const chime: Effect = (random) => {
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
		// The last three strikes still ring.
		for (let strike = floor(t / every); strike >= 0 && strike > t / every - 3; strike--) {
			const since = t - strike * every;
			const f = base * tune[strike % tune.length];
			for (const { ratio, gain, decay } of partials) {
				sum += gain * sine(f * ratio * since) * exp(-since * decay) * min(1, since / 0.002);
			}
		}
		return sum;
	};
};

/** Footsteps, knocks, typing: short thuds, each a little different. */
const knocks: Effect = (random) => {
	const every = between(random, 0.24, 0.55);
	const body = new Band();
	const tunes = Array.from({ length: 16 }, () => ({
		f: between(random, 110, 420),
		late: between(random, 0, 0.05),
		gain: between(random, 0.6, 1),
	}));
	return (t) => {
		const { f, late, gain } = tunes[floor(t / every) % tunes.length];
		const since = (t % every) - late;
		if (since < 0) return body.run(0, f, 3);
		return (
			gain *
			(3 * body.run((random() * 2 - 1) * exp(-since * 60), f * 3, 3) +
				0.8 * sine(f * since) * exp(-since * 34))
		);
	};
};

/** Birds, crickets, droids: tones that glide in quick groups. */
const chirps: Effect = (random) => {
	const every = between(random, 0.4, 0.75);
	const songs = Array.from({ length: 8 }, () => ({
		f: between(random, 1500, 3200),
		glide: between(random, -700, 900),
		notes: 1 + floor(random() * 4),
		trill: between(random, 18, 34),
	}));
	let turns = 0;
	return (t) => {
		const { f, glide, notes, trill } = songs[floor(t / every) % songs.length];
		const since = t % every;
		const note = since * 9;
		turns += (f + glide * (note % 1) + 180 * sine(trill * t)) / SAMPLE_RATE;
		return note < notes ? sine(turns) * sin(PI * (note % 1)) : 0;
	};
};

/** Motors and machines: a rough low tone with a throb. */
const engine: Effect = (random) => {
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

const EFFECTS: ReadonlyArray<{ words: RegExp; effect: Effect }> = [
	{ words: /explo|thunder|boom|impact|crash|bang|hit|slam|cannon|gun|drum/, effect: impact },
	{ words: /whoosh|swoosh|swish|swipe|pass|arrow|sword|fly|transition/, effect: whoosh },
	{ words: /laser|zap|blaster|phaser|arcade|game|ufo|shoot/, effect: zap },
	{
		words: /rain|wind|storm|ocean|sea|wave|water|river|forest|ambien|fire|crowd|noise/,
		effect: weather,
	},
	{ words: /bell|chime|glass|coin|ding|notif|magic|sparkle|success|alert|beep/, effect: chime },
	{ words: /step|knock|door|walk|typ|key|click|clock|tick|wood|horse|clap|run/, effect: knocks },
	{ words: /bird|chirp|cricket|robot|droid|insect|whistle|frog|bubble|cat|pet/, effect: chirps },
	{
		words: /engine|motor|car|truck|machine|drone|plane|train|hum|spaceship|rocket/,
		effect: engine,
	},
];

export function chooseEffect(prompt: string, random: Random): Effect {
	const seeded = pick(random, EFFECTS);
	const text = prompt.toLowerCase();
	return (EFFECTS.find(({ words }) => words.test(text)) ?? seeded).effect;
}
