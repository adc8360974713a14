import { between, randomFrom } from '../random';
import type { Segment } from './articulate';
import { PHONEMES } from './phonemes';
import { pronounce } from './spelling';
import type { Voice } from './voice';

interface Manner {
	/** What makes two takes of one sentence differ a little. */
	seed: string;
	speed: number;
	/** What may be used at most; the text is cut behind a word. */
	seconds: number;
}

const PAUSES: ReadonlyArray<readonly [RegExp, number]> = [
	[/[.!?…。！？]/, 0.3],
	[/[,;:—–、，\n]/, 0.15],
];
const UNSTRESSED = new Set([
	'a',
	'an',
	'the',
	'of',
	'to',
	'in',
	'on',
	'at',
	'and',
	'or',
	'is',
	'as',
	'by',
	'for',
	'with',
]);

/**
 * Words, marks and ends of lines. Scripts without spaces have words of any length; the text can be
 * cut only between two of these.
 */
const WORDS = /[\p{L}\p{M}\p{N}'’]{1,40}|[^\p{L}\p{M}\p{N}'’\s]+|\n/gu;

/** A text without a word is a thoughtful hum. */
const HUM = ['HH', 'M', 'M', 'M'] as const;

/**
 * A text to what is said, with the tune of the sentences: it falls from beginning to end, rises on
 * stressed vowels, and at the end of a question.
 */
export function toSegments(text: string, voice: Voice, manner: Manner): Segment[] {
	const random = randomFrom('prosody', manner.seed);
	const lift = between(random, 0.96, 1.05);
	const segments: Segment[] = [];
	let used = 0;
	for (const sentence of text.match(/[^.!?…。！？]+[.!?…。！？]*/gu) ?? []) {
		const words = sentence.match(WORDS) ?? [];
		const asks = /[?？]/.test(sentence);
		for (const [i, word] of words.entries()) {
			const place = (i + 1) / words.length;
			const tune = (1.12 - 0.24 * place) * (asks && place > 0.7 ? 1.3 : 1) * lift;
			const spoken = say(word, voice.pitch * tune * between(random, 0.97, 1.03), manner.speed);
			const length = spoken.reduce(
				(sum, { seconds, phoneme }) => sum + seconds + (phoneme?.closure ?? 0),
				0,
			);
			if (used + length > manner.seconds) return orHum(segments, voice, manner);
			used += length;
			segments.push(...spoken);
		}
	}
	return orHum(segments, voice, manner);
}

function orHum(segments: Segment[], { pitch }: Voice, { speed }: Manner): Segment[] {
	if (segments.some(({ phoneme }) => phoneme)) return segments;
	return HUM.map((name) => ({ phoneme: PHONEMES[name], seconds: 0.12 / speed, pitch }));
}

function say(word: string, pitch: number, speed: number): Segment[] {
	const pause = PAUSES.find(([mark]) => mark.test(word))?.[1];
	if (pause !== undefined) return [{ seconds: pause / speed, pitch }];
	const stressed = !UNSTRESSED.has(word.toLowerCase());
	let vowels = 0;
	const segments = pronounce(word).map((name): Segment => {
		const phoneme = PHONEMES[name];
		const accent = phoneme.vowel && vowels++ === 0 && stressed;
		const seconds = phoneme.seconds * (accent ? 1 : stressed ? 0.8 : 0.62);
		return { phoneme, seconds: seconds / speed, pitch: pitch * (accent ? 1.1 : 1) };
	});
	return segments.length > 0 ? [...segments, { seconds: 0.025 / speed, pitch }] : [];
}
