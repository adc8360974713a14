import { isBlank } from '../../src/base/texts';
import { splitText } from '../../nodes/Speech/splitText';
import fc from '../support/fastCheck';
import { cases } from '../support/thorough';

const WORDS = {
	Latin:
		'the quick brown fox jumps over a lazy dog in Zürich, naïve café (well-known) “quoted” don’t 3.14 e.g. A.B.C',
	Cyrillic: 'съешь ещё этих мягких французских булок, да выпей же чаю «вот так» ёлка',
	Arabic: 'نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر ومغلف بجلد أزرق، أليس كذلك؟',
	Chinese: '天地玄黄 宇宙洪荒 日月盈昃 辰宿列张 寒来暑往 秋收冬藏 闰余成岁 律吕调阳 云腾致雨',
	Devanagari:
		'ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश करने वाले विष्णुवतार भगवान श्रीराम',
};
const ENDS: Record<string, string[]> = {
	Latin: ['. ', '! ', '? ', '.\n', '.\n\n', ' '],
	Cyrillic: ['. ', '! ', '… ', '.\n\n'],
	Arabic: ['. ', '؟ ', '\n\n'],
	Chinese: ['。', '！', '？', '。\n\n'],
	Devanagari: ['। ', '॥\n', '\n\n', '? '],
};
const SCRIPTS = Object.keys(WORDS) as Array<keyof typeof WORDS>;

/** A repeatable text of a script with sentences and paragraphs; some with emoji of several code points. */
function textOf(script: keyof typeof WORDS, length: number, seed: number): string {
	let state = seed + 1;
	const next = (below: number) => {
		state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
		return Math.floor((state / 2_147_483_648) * below);
	};
	const words = WORDS[script].split(' ');
	const ends = ENDS[script] ?? ['. '];
	const parts: string[] = [];
	let made = 0;
	while (made < length) {
		const sentence: string[] = [];
		for (let left = 1 + next(25); left > 0; left -= 1)
			sentence.push(words[next(words.length)] ?? '');
		if (next(40) === 0) sentence.push('👩‍👩‍👧‍👦 🇩🇪');
		const text = sentence.join(script === 'Chinese' ? '' : ' ') + (ends[next(ends.length)] ?? '. ');
		parts.push(text);
		made += text.length;
	}
	return parts.join('').slice(0, length);
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const wordsIn = new Intl.Segmenter('en', { granularity: 'word' });
const withoutBlanks = (text: string) => text.replace(/\s+/gu, '');
const codePoints = (text: string) => [...text].length;

/** Where each block begins in the text, after the first. */
function cutsOf(text: string, blocks: string[]): number[] {
	let end = 0;
	return blocks.map((block) => {
		const start = text.indexOf(block, end);
		if (text.slice(end, start).trim() !== '') throw new Error(`Lost before ${block}`);
		end = start + block.length;
		return start;
	});
}

/** The cuts that are within what a segmenter takes for one word or one grapheme. */
function cutsWithin(segmenter: Intl.Segmenter, text: string, cuts: number[]): number[] {
	// By paragraphs, which end a word and a grapheme: V8 takes the square of the time for a long text.
	const found: number[] = [];
	let start = 0;
	for (const paragraph of text.split(/(?<=\n\n)/)) {
		const segments = segmenter.segment(paragraph);
		const end = start + paragraph.length;
		const from = start;
		found.push(
			...cuts.filter(
				(cut) => cut >= from && cut < end && segments.containing(cut - from)?.index !== cut - from,
			),
		);
		start = end;
	}
	return found;
}

const TEXTS = Array.from({ length: cases(100) }, (_, index) => {
	const script = SCRIPTS[index % SCRIPTS.length] ?? 'Latin';
	const length = [60_000, 20_000, 5_000, 900][Math.floor(index / SCRIPTS.length) % 4] ?? 900;
	return [script, length, index] as const;
});

test.each(TEXTS)(
	'%s text of %i characters (%i): nothing lost, nothing twice, no cut inside a word or a grapheme',
	(script, length, seed) => {
		const text = textOf(script, length, seed);
		const max = [1_000, 200, 60][seed % 3] ?? 1_000;
		const blocks = splitText(text, max);
		expect(withoutBlanks(blocks.join(''))).toBe(withoutBlanks(text));
		expect(blocks.filter((block) => codePoints(block) > max || block !== block.trim())).toEqual([]);
		const cuts = cutsOf(text, blocks);
		expect(cutsWithin(graphemes, text, cuts)).toEqual([]);
		expect(cutsWithin(wordsIn, text, cuts)).toEqual([]);
	},
);

test('paragraphs stay together where they fit, and sentences where those do not', () => {
	const text = 'One. Two.\n\nThree. Four.\n\nA sentence alone. Another one here.';
	expect(splitText(text, 25)).toEqual([
		'One. Two.\n\nThree. Four.',
		'A sentence alone.',
		'Another one here.',
	]);
	expect(splitText(text, 1_000)).toEqual([text]);
});

test.each(['\u200b', '\ufeff \u2060', '\u2800'])(
	'what nobody sees at the end (%j), as a copied text has it, is no block of its own',
	(unseen) => {
		expect(splitText(`One two.\n\n${unseen}`, 8)).toEqual(['One two.']);
	},
);

test('a word longer than a block is cut between graphemes, whatever else there is', () => {
	expect(splitText('aaaaabbbbbcc d', 5)).toEqual(['aaaaa', 'bbbbb', 'cc d']);
	expect(splitText('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 7)).toEqual(['👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦']);
	expect(splitText(' \n\n ', 5)).toEqual([]);
});

const TAGS = [
	'<break time="1.5s"/>',
	'<break time="1.5s" strength="x-strong. Really > strong!" />',
	'<emphasis level="strong">',
	'</emphasis>',
	'[laughs]',
	'[laughs! Then sighs. Twice.]',
	'[[a [nested] one. Yes.]]',
	'{pause: 2. seconds}',
	'(whispers. Softly.)',
	'[笑。声]',
	'[😂 laughs. 👩‍👩‍👧‍👦]',
];

test.each(TAGS)('%s is never cut, whatever the length of a block', (tag) => {
	const text = `One two three. Four ${tag} five, six${tag}seven! 八。${tag}九 ${tag}`;
	const shortest = tag.startsWith('(') ? tag.length : 1;
	for (let max = shortest; max <= 80; max += 1) {
		const blocks = splitText(text, max);
		expect(withoutBlanks(blocks.join(''))).toBe(withoutBlanks(text));
		expect(blocks.join('\n').split(tag)).toHaveLength(5);
		const longer = blocks.filter((block) => codePoints(block) > max);
		expect(longer.filter((block) => block !== tag)).toEqual([]);
	}
});

test.each([
	'He said 5 < 6 and 7 > 3. And a [ that is never closed. More of it.',
	'1) One. 2) Two. 3) Three. :) Four :( five ] six > seven } eight.',
	`(${'What stands in parentheses is text. '.repeat(20)})`,
	`[${'What is this long is no tag. '.repeat(20)}]`,
])('brackets that are no tag keep nothing together: %#', (text) => {
	expect(splitText(text, 30).filter((block) => codePoints(block) > 30)).toEqual([]);
});

test.each([
	['Mr. Smith met Dr. Jones. They talked.', ['Mr. Smith met Dr. Jones.', 'They talked.']],
	['Fruit, e.g. Apples and i.e. Pears. Yes.', ['Fruit, e.g. Apples and i.e. Pears.', 'Yes.']],
])('an abbreviation ends no sentence: %s', (text, blocks) => {
	expect(splitText(text, text.length - 1)).toEqual(blocks);
});

test('any mixture of words, tags, emoji, scripts and abbreviations is whole when joined, and no tag is cut', () => {
	const pieces = [
		...TAGS,
		'Mr. ',
		'Dr. ',
		'e.g. ',
		'👩‍👩‍👧‍👦',
		'🇩🇪',
		'天地。',
		'word ',
		'. ',
		'\n\n',
		'"',
		'<',
		'[',
	];
	fc.assert(
		fc.property(
			fc.array(fc.constantFrom(...pieces), { maxLength: 60 }),
			fc.integer({ min: 70, max: 200 }),
			(parts, max) => {
				const text = parts.join('');
				const blocks = splitText(text, max);
				expect(withoutBlanks(blocks.join(''))).toBe(withoutBlanks(text));
				expect(blocks.filter((block) => codePoints(block) > max)).toEqual([]);
				for (const tag of ['[laughs]', '<break time="1.5s"/>', '</emphasis>'])
					expect(blocks.join('\n').split(tag)).toHaveLength(text.split(tag).length);
			},
		),
	);
});

test.each([
	'. ',
	'.',
	'a ',
	'a',
	'"a',
	'(',
	'()',
	'<a',
	'<a="',
	'[a]',
	'a)',
	'。',
	'\n',
	'\n\n',
	'Mr. ',
	'e\u0301',
	'😀',
])('of 50,000 characters of %j each is looked at a few times, a few thousand at once', (unit) => {
	const looks: number[] = [];
	const { segment } = Intl.Segmenter.prototype;
	const spy = jest.spyOn(Intl.Segmenter.prototype, 'segment').mockImplementation(function (
		this: Intl.Segmenter,
		text,
	) {
		looks.push(text.length);
		return segment.call(this, text);
	});
	const text = unit.repeat(50_000 / unit.length);
	for (const max of [1_000, 20_000]) {
		looks.length = 0;
		const blocks = splitText(text, max);
		expect(withoutBlanks(blocks.join(''))).toBe(withoutBlanks(text));
		expect(Math.max(0, ...looks)).toBeLessThan(5_000);
		expect(looks.reduce((sum, length) => sum + length, 0)).toBeLessThan(10 * text.length);
	}
	spy.mockRestore();
});
