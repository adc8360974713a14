import { hash } from '../random';

/** Words so frequent that the rules' mistakes would be heard in each sentence. */
const WORDS: Readonly<Record<string, string>> = {
	a: 'AH',
	the: 'DH AH',
	of: 'AH V',
	to: 'T UW',
	do: 'D UW',
	you: 'Y UW',
	i: 'AY',
	is: 'IH Z',
	was: 'W AA Z',
	are: 'AA R',
	have: 'HH AE V',
	one: 'W AH N',
	two: 'T UW',
	who: 'HH UW',
	what: 'W AH T',
	there: 'DH EH R',
	where: 'W EH R',
	were: 'W ER',
	your: 'Y AO R',
	be: 'B IY',
	he: 'HH IY',
	she: 'SH IY',
	we: 'W IY',
	me: 'M IY',
	my: 'M AY',
	by: 'B AY',
	hello: 'HH EH L OW',
	said: 'S EH D',
	some: 'S AH M',
	come: 'K AH M',
	from: 'F R AH M',
	has: 'HH AE Z',
	his: 'HH IH Z',
	world: 'W ER L D',
	love: 'L AH V',
	how: 'HH AW',
	now: 'N AW',
	through: 'TH R UW',
	every: 'EH V R IY',
	people: 'P IY P AH L',
	move: 'M UW V',
	image: 'IH M AH JH',
	music: 'M Y UW Z IH K',
	video: 'V IH D IY OW',
	media: 'M IY D IY AH',
	as: 'AE Z',
	this: 'DH IH S',
	that: 'DH AE T',
	with: 'W IH DH',
	welcome: 'W EH L K AH M',
};

const DIGITS = [
	'Z IH R OW',
	'W AH N',
	'T UW',
	'TH R IY',
	'F AO R',
	'F AY V',
	'S IH K S',
	'S EH V AH N',
	'EY T',
	'N AY N',
];

/** The first rule that matches at a place wins; what is in a lookaround is context only. */
const RULES: ReadonlyArray<readonly [RegExp, string]> = (
	[
		['a(?=tion)', 'EY'],
		['tion|sion', 'SH AH N'],
		['ture', 'T SH ER'],
		['ough', 'AO'],
		['augh', 'AO'],
		['eigh', 'EY'],
		['igh', 'AY'],
		['tch', 'T SH'],
		['dge', 'D ZH'],
		['sch', 'S K'],
		['ph', 'F'],
		['sh', 'SH'],
		['ch', 'T SH'],
		['th(?=e)|(?<=e)th', 'DH'],
		['th', 'TH'],
		['^wh', 'W'],
		['^kn', 'N'],
		['^wr', 'R'],
		['ck', 'K'],
		['ng', 'NG'],
		['n(?=k)', 'NG'],
		['qu', 'K W'],
		['gh', ''],
		['mb$', 'M'],
		['ea(?=th|d$)', 'EH'],
		['ee|ea|ie(?=.)', 'IY'],
		['ie$', 'AY'],
		['ai|ay|ei|ey(?=.)', 'EY'],
		['ey$', 'IY'],
		['oo', 'UW'],
		['ou|ow(?=[nl])', 'AW'],
		['ow', 'OW'],
		['oa|oe', 'OW'],
		['oi|oy', 'OY'],
		['au|aw', 'AO'],
		['eu|ew|ue', 'UW'],
		['ar(?=[aeiou])', 'EH R'],
		['ar', 'AA R'],
		['or', 'AO R'],
		['(?:er|ir|ur)(?![aeiou])', 'ER'],
		['all', 'AO L'],
		['a(?=[^aeiouy]e)', 'EY'],
		['i(?=[^aeiouy]e)', 'AY'],
		['o(?=[^aeiouyx]e)', 'OW'],
		['u(?=[^aeiouy]e)', 'UW'],
		['e(?=[^aeiouy]e$)', 'IY'],
		['i(?=nd|ld)', 'AY'],
		['o(?=ld|ll)', 'OW'],
		['(?<=[aeiou].*[^aeiou])es$', 'IH Z'],
		['(?<=[aeiouy].*[^aeiou])e$', ''],
		['(?<=[td])ed$', 'IH D'],
		['(?<=.[^aeioutd])ed$', 'D'],
		['le$', 'AH L'],
		['(?<=[aeiouy].*)y$', 'IY'],
		['y$', 'AY'],
		['^y', 'Y'],
		['y', 'IH'],
		['^x', 'Z'],
		['x', 'K S'],
		['c(?=[eiy])', 'S'],
		['g(?=[eiy].)', 'D ZH'],
		['j', 'D ZH'],
		['s$(?<=[aeioubdglmnrvwy]s)', 'Z'],
		['(?<=[aeiou])s(?=[aeiou])', 'Z'],
		['o$', 'OW'],
		['a$', 'AH'],
		['(.)(?=\\1)', ''],
		['a', 'AE'],
		['b', 'B'],
		['c', 'K'],
		['d', 'D'],
		['e', 'EH'],
		['f', 'F'],
		['g', 'G'],
		['h', 'HH'],
		['i', 'IH'],
		['k', 'K'],
		['l', 'L'],
		['m', 'M'],
		['n', 'N'],
		['o', 'AA'],
		['p', 'P'],
		['r', 'R'],
		['s', 'S'],
		['t', 'T'],
		['u', 'AH'],
		['v', 'V'],
		['w', 'W'],
		['z', 'Z'],
	] as const
).map(([pattern, sounds]) => [new RegExp(pattern, 'y'), sounds] as const);

const ONSETS = ['M', 'N', 'L', 'R', 'W', 'Y', 'S', 'SH', 'B', 'D', 'G', 'K', 'T', 'HH', 'V', 'P'];
const NUCLEI = ['AA', 'EH', 'IY', 'OW', 'UW', 'AH', 'EY', 'AY'];

/** The names of the phonemes of a word in any script; a word without letters has none. */
export function pronounce(word: string): string[] {
	const plain = word
		.normalize('NFKD')
		.replace(/[\p{M}'’]/gu, '')
		.toLowerCase();
	if (Object.hasOwn(WORDS, plain)) return split(WORDS[plain]);
	return (plain.match(/[a-z]+|[0-9]|[\p{L}\p{N}]/gu) ?? []).flatMap((part) => {
		if (/[a-z]/.test(part)) return spellOut(part);
		if (/[0-9]/.test(part)) return split(DIGITS[Number(part)]);
		// A letter of another script becomes a syllable of its own, always the same one.
		const value = hash(part);
		return [ONSETS[value % ONSETS.length], NUCLEI[(value >>> 8) % NUCLEI.length]];
	});
}

function spellOut(word: string): string[] {
	const sounds: string[] = [];
	for (let at = 0; at < word.length;) {
		let length = 1;
		for (const [rule, spoken] of RULES) {
			rule.lastIndex = at;
			const match = rule.exec(word);
			if (!match) continue;
			length = match[0].length;
			sounds.push(...split(spoken));
			break;
		}
		at += length;
	}
	return sounds;
}

function split(sounds: string): string[] {
	return sounds === '' ? [] : sounds.split(' ');
}
