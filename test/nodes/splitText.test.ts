import { splitText as split } from '../../nodes/Speech/splitText';
import fc from '../support/fastCheck';
import { cases } from '../support/thorough';

/** The blocks of a text that can be divided. */
function splitText(text: string, max: number, perFile?: number): string[] {
	const found = split(text, max, perFile);
	if ('problem' in found) throw new Error(found.problem);
	return found.blocks;
}

/** Words of a script, what is between two of them, and what ends a sentence. */
const SCRIPTS: Record<string, { words: string; between: string; ends: string[] }> = {
	Latin: {
		words:
			'the quick brown fox jumps over a lazy dog in Zürich, naïve café (well-known) “quoted” don’t 3.14 e.g. A.B.C 👩‍👩‍👧‍👦 🇩🇪',
		between: ' ',
		ends: ['. ', '! ', '? ', '.\n', '.\n\n', ' '],
	},
	Arabic: {
		words: 'نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر ومغلف بجلد أزرق، أليس كذلك؟',
		between: ' ',
		ends: ['. ', '؟ ', '\n\n'],
	},
	Chinese: {
		words: '天地玄黄 宇宙洪荒 日月盈昃 辰宿列张 寒来暑往 秋收冬藏 闰余成岁 律吕调阳 云腾致雨',
		between: '',
		ends: ['。', '！', '？', '。\n\n'],
	},
	Devanagari: {
		words: 'ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश करने वाले भगवान श्रीराम',
		between: ' ',
		ends: ['। ', '॥\n', '\n\n', '? '],
	},
};

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const wordsIn = new Intl.Segmenter('en', { granularity: 'word' });
const withoutBlanks = (text: string) => text.replace(/\s+/gu, '');
const codePoints = (text: string) => [...text].length;

/** Where each block begins in the text. */
function cutsOf(text: string, blocks: string[]): number[] {
	let end = 0;
	return blocks.map((block) => {
		const start = text.indexOf(block, end);
		end = start + block.length;
		return start;
	});
}

/** The cuts that are within what a segmenter takes for one word or one grapheme. */
function cutsWithin(segmenter: Intl.Segmenter, text: string, cuts: number[]): number[] {
	const segments = segmenter.segment(text);
	return cuts.filter((cut) => segments.containing(cut)?.index !== cut);
}

test.each(Object.entries(SCRIPTS))(
	'%s: nothing lost, nothing twice, no cut inside a word or a grapheme',
	(_script, { words, between, ends }) => {
		const sentence = fc
			.tuple(
				fc.array(fc.constantFrom(...words.split(' ')), { minLength: 1, maxLength: 25 }),
				fc.constantFrom(...ends),
			)
			.map(([each, end]) => each.join(between) + end);
		const texts = fc.array(sentence, { maxLength: 40 }).map((sentences) => sentences.join(''));
		fc.assert(
			fc.property(texts, fc.constantFrom(60, 200, 1_000), (text, max) => {
				const blocks = splitText(text, max);
				expect(withoutBlanks(blocks.join(''))).toBe(withoutBlanks(text));
				const wrong = blocks.filter((each) => codePoints(each) > max || each !== each.trim());
				expect(wrong).toEqual([]);
				const cuts = cutsOf(text, blocks);
				expect(cutsWithin(graphemes, text, cuts)).toEqual([]);
				expect(cutsWithin(wordsIn, text, cuts)).toEqual([]);
			}),
			{ numRuns: cases(100) },
		);
	},
);

const PARAGRAPHS = 'One. Two.\n\nThree. Four.\n\nA sentence alone. Another one here.';

test.each<[text: string, max: number, blocks: string[]]>([
	// Paragraphs stay together where they fit, and sentences where those do not.
	[PARAGRAPHS, 1_000, [PARAGRAPHS]],
	[PARAGRAPHS, 25, ['One. Two.\n\nThree. Four.', 'A sentence alone.', 'Another one here.']],
	// A word longer than a block is cut between graphemes.
	['aaaaabbbbbcc d', 5, ['aaaaa', 'bbbbb', 'cc d']],
	['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 7, ['👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦']],
	[' \n\n ', 5, []],
	// An abbreviation ends no sentence.
	['Mr. Smith met Dr. Jones. They talked.', 36, ['Mr. Smith met Dr. Jones.', 'They talked.']],
	['Fruit, e.g. Apples. Yes.', 23, ['Fruit, e.g. Apples.', 'Yes.']],
])('%j in blocks of %i', (text, max, blocks) => {
	expect(splitText(text, max)).toEqual(blocks);
});

const TAGS = [
	'<break time="1.5s"/>',
	'<break time="1.5s" strength="x-strong. Really > strong!" />',
	'</emphasis>',
	'[laughs]',
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

test.each(['.', 'a', '(', '<a="', '[a]', 'Mr. '])(
	'of 50,000 characters of %j each is looked at a few times, a few thousand at once',
	(unit) => {
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
	},
);

test.each<[text: string, max: number, blocks: string[]]>([
	['By J. R. R. Tolkien. More of it.', 22, ['By J. R. R. Tolkien.', 'More of it.']],
	['Come at 5 p.m. Monday. Or not.', 24, ['Come at 5 p.m. Monday.', 'Or not.']],
	['Städte, z. B. Berlin. Und mehr.', 23, ['Städte, z. B. Berlin.', 'Und mehr.']],
	['Das sind zwei Mio. Euro.', 20, ['Das sind zwei', 'Mio. Euro.']],
	[
		'Sie lebte im 3. Jh. v. Chr. Danach nicht.',
		36,
		['Sie lebte im 3. Jh. v. Chr. Danach', 'nicht.'],
	],
	['Hi. <!-- a > b. c. --> One.', 22, ['Hi.', '<!-- a > b. c. -->', 'One.']],
	['If <![CDATA[1 < 2. 3 > 2.]]> so.', 26, ['If', '<![CDATA[1 < 2. 3 > 2.]]>', 'so.']],
	['Vive en EE. UU. Norte.', 19, ['Vive en', 'EE. UU. Norte.']],
	['Стоит 5 тыс. Рублей.', 15, ['Стоит 5', 'тыс. Рублей.']],
	['Mieszka na ul. Długiej.', 18, ['Mieszka na', 'ul. Długiej.']],
	['1. One thing.\n2. Two things.', 16, ['1. One thing.', '2. Two things.']],
	['It is by J. R. R. Tolkien', 16, ['It is by', 'J. R. R. Tolkien']],
	[
		'On <say-as interpret-as="date">1. May. 2026</say-as>. Then.',
		56,
		['On <say-as interpret-as="date">1. May. 2026</say-as>.', 'Then.'],
	],
	[
		'One. [whispers]Two. Three.[/whispers] Four.',
		34,
		['One.', '[whispers]Two. Three.[/whispers]', 'Four.'],
	],
	[
		'<p>One. Two. Three. Four. Five.</p> Six.',
		18,
		['<p>One. Two.</p>', '<p>Three.</p>', '<p>Four. Five.</p>', 'Six.'],
	],
	['<a><b>One. Two.</b> Three.</a>', 23, ['<a><b>One. Two.</b></a>', '<a>Three.</a>']],
	// It would fit by itself, and not with the tags around it.
	['<a><b>One. Two.</b></a>', 22, ['<a><b>One.</b></a>', '<a><b>Two.</b></a>']],
	['I. One thing.\nII. Two things.', 17, ['I. One thing.', 'II. Two things.']],
	['2.10. One thing.\n2.11. Two.', 22, ['2.10. One thing.', '2.11. Two.']],
	['Hi. See https://a.example/b?c=d now.', 30, ['Hi.', 'See https://a.example/b?c=d', 'now.']],
])('%j keeps together what belongs together, in blocks of %i', (text, max, blocks) => {
	expect(splitText(text, max)).toEqual(blocks);
});

test('no block is longer than it may be, with the tags that are written again', () => {
	const word = fc.constantFrom('One. ', 'two ', '(or three) ', '日本語。', 'Dr. ', '\n\n');
	const { text } = fc.letrec<{ text: string; element: string }>((tie) => ({
		text: fc
			.array(fc.oneof({ arbitrary: word, weight: 4 }, tie('element')), { maxLength: 8 })
			.map((parts) => parts.join('')),
		element: fc
			.tuple(fc.constantFrom('<a>', '<p>', '<say-as b="c">', '[sings]'), tie('text'))
			.map(([tag, inner]) => {
				const end = tag.replace(/^(.)([^ ]*?)( .*)?(.)$/, '$1/$2$4');
				return `${tag}${inner}${end} `;
			}),
	}));
	fc.assert(
		fc.property(text, fc.integer({ min: 40, max: 120 }), (given, max) => {
			const found = split(given, max);
			const blocks = 'blocks' in found ? found.blocks : [];
			expect(blocks.filter((block) => codePoints(block) > max)).toEqual([]);
		}),
	);
});

test('an element whose tags leave no room for a text is refused with its place', () => {
	expect(split(`Hi. <prosody rate="slow">${'Slowly. '.repeat(20)}</prosody>`, 30)).toEqual({
		problem: expect.stringMatching(/^has the element "<prosody rate=.*at character 5, /),
	});
});

test('paragraphs are divided where that saves a file', () => {
	const text = 'A sentence of thirty letters. X\n\nAnother one of forty letters, it is.\n\n'.repeat(
		10,
	);
	expect(splitText(text, 60, 100)).toHaveLength(20);
	expect(splitText(text, 60, 14).length).toBeLessThanOrEqual(14);
});
