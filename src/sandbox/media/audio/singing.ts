import type { MediaRequest } from '../types';
import { articulate, type Segment } from './articulate';
import { pitchOf, type Composition } from './composition';
import { PHONEMES, type Phoneme } from './phonemes';
import { pronounce } from './spelling';
import { voiceOf } from './voice';
import { SAMPLE_RATE } from './wav';
import { cyclic } from '../../elementAt';

const MAX_CHARACTERS = 4000;
const LEVEL = 0.5;

/**
 * Sings the lyrics on the melody, a syllable a note, from the top again when they end. In place.
 */
export async function sing(
	track: Float32Array,
	piece: Composition,
	lyrics: string,
	{ voice: id, seed }: Pick<MediaRequest, 'voice' | 'seed'>,
): Promise<void> {
	const syllables = toSyllables(lyrics.slice(0, MAX_CHARACTERS));
	if (syllables.length === 0) return;
	const voice = voiceOf(id ?? `singer ${seed}`);
	// The octave in which this voice is at ease.
	const octave = voice.pitch > 140 ? 1 : 0;
	const eighth = 30 / piece.tempo;
	const notes = piece.melody.flatMap((bar) => bar);
	const segments: Segment[] = [];
	let next = 0;
	for (let i = 0; i * eighth < track.length / SAMPLE_RATE;) {
		const degree = notes[i % notes.length];
		let length = 1;
		while (length < 4 && notes[(i + length) % notes.length] === undefined) length++;
		const pitch = pitchOf(piece, degree ?? 0, octave);
		segments.push(
			...(degree === undefined
				? [{ seconds: length * eighth, pitch }]
				: hold(cyclic(syllables, next++), length * eighth, pitch)),
		);
		i += length;
	}
	const sung = await articulate(segments, voice);
	let loudest = 1e-9;
	for (const sample of sung) loudest = Math.max(loudest, Math.abs(sample));
	for (const [i, sample] of sung.subarray(0, track.length).entries()) {
		track[i] = (track[i] ?? 0) + (LEVEL * sample) / loudest;
	}
}

/** Consonants with the vowel they lead to; those that end a word stay with its last vowel. */
function toSyllables(lyrics: string): Phoneme[][] {
	const syllables: Phoneme[][] = [];
	for (const word of lyrics.match(/[\p{L}\p{M}\p{N}'’]+/gu) ?? []) {
		let open: Phoneme[] = [];
		const ofWord: Phoneme[][] = [];
		for (const name of pronounce(word)) {
			open.push(PHONEMES[name]);
			if (!PHONEMES[name].vowel) continue;
			ofWord.push(open);
			open = [];
		}
		ofWord.at(-1)?.push(...open);
		syllables.push(...ofWord);
	}
	return syllables;
}

/** The vowel fills what the consonants leave of the note. */
function hold(syllable: Phoneme[], seconds: number, pitch: number): Segment[] {
	const consonants = syllable.filter(({ vowel }) => !vowel);
	const taken = consonants.reduce((sum, phoneme) => sum + phoneme.seconds + phoneme.closure, 0);
	// A cluster of consonants in a short note is hurried, so that the beat is kept.
	const hurry = Math.min(1, (seconds * 0.6) / Math.max(taken, 1e-9));
	return syllable.map((phoneme) => ({
		phoneme: { ...phoneme, closure: phoneme.closure * hurry },
		seconds: phoneme.vowel ? seconds - taken * hurry : phoneme.seconds * hurry,
		pitch,
	}));
}
