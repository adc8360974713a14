import { hash } from '../random';
import { DIGITS, RULES, WORDS } from './lexicon';
import type { PhonemeName } from './phonemes';
import { cyclic, elementAt } from '../../elementAt';

const ONSETS: readonly PhonemeName[] = [
	'M',
	'N',
	'L',
	'R',
	'W',
	'Y',
	'S',
	'SH',
	'B',
	'D',
	'G',
	'K',
	'T',
	'HH',
	'V',
	'P',
];
const NUCLEI: readonly PhonemeName[] = ['AA', 'EH', 'IY', 'OW', 'UW', 'AH', 'EY', 'AY'];

/** Letters in runs of bounded length: the rules look back over the whole run at each letter. */
const PARTS = /[a-z]{1,40}|[0-9]|[\p{L}\p{N}]/gu;

/** The names of the phonemes of a word in any script; a word without letters has none. */
export function pronounce(word: string): PhonemeName[] {
	const plain = word
		.normalize('NFKD')
		.replace(/[\p{M}'’]/gu, '')
		.toLowerCase();
	const known = WORDS.get(plain);
	if (known) return [...known];
	return (plain.match(PARTS) ?? []).flatMap((part) => {
		if (/[a-z]/.test(part)) return spellOut(part);
		if (/[0-9]/.test(part)) return elementAt(DIGITS, Number(part));
		// A letter of another script becomes a syllable of its own, always the same one.
		const value = hash(part);
		return [cyclic(ONSETS, value), cyclic(NUCLEI, value >>> 8)];
	});
}

function spellOut(word: string): PhonemeName[] {
	const sounds: PhonemeName[] = [];
	for (let at = 0; at < word.length;) {
		let length = 1;
		for (const [rule, spoken] of RULES) {
			rule.lastIndex = at;
			const match = rule.exec(word);
			if (!match) continue;
			length = match[0].length;
			sounds.push(...spoken);
			break;
		}
		at += length;
	}
	return sounds;
}
