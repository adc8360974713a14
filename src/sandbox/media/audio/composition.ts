import { between, pick, type Random } from '../random';
import { elementAt } from '../../elementAt';

export interface Composition {
	/** Beats a minute. */
	tempo: number;
	/** MIDI number of the keynote. */
	key: number;
	/** Semitones above the keynote. */
	scale: readonly number[];
	/** Degrees of the scale, one a bar of four beats, repeated. */
	chords: readonly number[];
	/** For each bar of a phrase of four, by eighths: a degree of the scale, or none for a rest. */
	melody: ReadonlyArray<ReadonlyArray<number | undefined>>;
	beat: 'none' | 'soft' | 'full';
	lead: 'bell' | 'string';
}

const MAJOR = [0, 2, 4, 5, 7, 9, 11];
const MINOR = [0, 2, 3, 5, 7, 8, 10];
const DORIAN = [0, 2, 3, 5, 7, 9, 10];

const MAJOR_CHORDS = [
	[0, 4, 5, 3],
	[0, 5, 3, 4],
	[3, 0, 4, 5],
	[0, 2, 3, 4],
] as const;
const MINOR_CHORDS = [
	[0, 5, 2, 6],
	[0, 3, 5, 4],
	[0, 6, 5, 6],
	[5, 6, 0, 0],
] as const;

const CALM = /calm|ambient|sleep|slow|soft|sad|relax|lullaby|piano|meditat|gentle|lo-?fi|dream/;
const LIVELY = /danc|fast|upbeat|energetic|happy|rock|techno|house|party|drum|pop|electro|fun/;
const DARK = /sad|dark|minor|melanchol|noir|tense|horror|lonely|night|rain|dream|epic/;
const BRIGHT = /happy|bright|joy|cheer|sun|major|fun|love|summer|birthday/;

/** Mood words in the prompt choose tempo, mode and beat; the seed chooses all else. */
export function compose(prompt: string, random: Random): Composition {
	const text = prompt.toLowerCase();
	const calm = CALM.test(text);
	const lively = !calm && LIVELY.test(text);
	const minor = DARK.test(text) || (!BRIGHT.test(text) && random() < 0.45);
	const chords = pick<readonly number[]>(random, minor ? MINOR_CHORDS : MAJOR_CHORDS);
	return {
		tempo: Math.round(
			calm ? between(random, 64, 80) : between(random, lively ? 112 : 88, lively ? 132 : 108),
		),
		key: 48 + Math.floor(random() * 12),
		scale: minor ? pick(random, [MINOR, DORIAN]) : MAJOR,
		chords,
		melody: makeMelody(chords, random, calm ? 0.35 : 0.6),
		beat: calm
			? pick(random, ['none', 'soft'] as const)
			: lively
				? 'full'
				: pick(random, ['soft', 'full'] as const),
		lead: pick(random, ['bell', 'string'] as const),
	};
}

/**
 * A motif of one bar, heard again over each chord with a changed ending: repetition is what makes
 * random notes a tune.
 */
function makeMelody(chords: readonly number[], random: Random, density: number) {
	const motif = makeBar(random, density);
	const ending = makeBar(random, density);
	return chords.map((chord, bar) =>
		motif.map((step, eighth) => {
			const source = bar % 2 === 1 && eighth >= 4 ? ending[eighth] : step;
			return source === undefined ? undefined : chord + source;
		}),
	);
}

/** Chord tones on the beats, steps between them. */
function makeBar(random: Random, density: number): Array<number | undefined> {
	let last = pick(random, [0, 2, 4]);
	return Array.from({ length: 8 }, (_, eighth) => {
		if (eighth > 0 && random() > (eighth % 2 === 0 ? density + 0.25 : density)) return undefined;
		last = eighth % 2 === 0 ? pick(random, [0, 2, 4, 7]) : last + pick(random, [-1, 1, 1, 2]);
		return last;
	});
}

/** Hz of a degree of the scale, which may lie octaves above or below. */
export function pitchOf({ key, scale }: Composition, degree: number, octave = 0): number {
	const steps = scale.length;
	const semitone =
		elementAt(scale, ((degree % steps) + steps) % steps) + 12 * Math.floor(degree / steps);
	return 440 * Math.pow(2, (key + semitone + 12 * octave - 69) / 12);
}
