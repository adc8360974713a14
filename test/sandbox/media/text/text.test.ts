import fc from '../../../support/fastCheck';
import { cleanText, escapeXml, shorten } from '../../../../src/sandbox/media/text/clean';
import { drawable, isRightToLeft } from '../../../../src/sandbox/media/text/drawable';
import { widthInEm } from '../../../../src/sandbox/media/text/font';
import { fitText, LINE_HEIGHT } from '../../../../src/sandbox/media/text/wrap';
import { anyPrompt } from '../support/prompts';

describe('text for a picture', () => {
	it('loses control characters and lone surrogates, and keeps what can be read', () => {
		expect(cleanText(' a\u0000b\ud800 \n\t c\u202e ')).toBe('ab c');
	});

	it('is escaped so that it can be no markup', () => {
		expect(escapeXml(`<a b="c">&'`)).toBe('&lt;a b=&quot;c&quot;&gt;&amp;&apos;');
	});

	it('falls back to the plain letter, drops pictographs, and marks other scripts letter by letter', () => {
		expect(drawable('Việt 🦊 naïve 日本')).toBe('Viet naïve ◊◊');
	});

	it('is cut between graphemes', () => {
		expect(shorten('e\u0301'.repeat(5), 3)).toBe(`${'e\u0301'.repeat(3)}…`);
	});

	it.each([
		['שלום world', true],
		['12 مرحبا', true],
		['hello שלום', false],
		['', false],
	])('knows the direction of %j', (text, expected) => {
		expect(isRightToLeft(text)).toBe(expected);
	});

	it('is as wide as the metrics of the font', () => {
		expect(widthInEm('')).toBe(0);
		expect(widthInEm('WW')).toBeCloseTo(2 * widthInEm('W'));
		expect(widthInEm('W')).toBeGreaterThan(widthInEm('i'));
	});
});

describe('fitText', () => {
	const box = { width: 300, height: 100, largest: 30, smallest: 10 };

	it('keeps a short text large and a long one small', () => {
		expect(fitText('Short', box).fontSize).toBe(30);
		const long = fitText('Somewhat longer than what fits there '.repeat(4).trim(), box);
		expect(long.fontSize).toBeLessThan(30);
		expect(long.lines.join(' ')).toBe('Somewhat longer than what fits there '.repeat(4).trim());
	});

	it('ends with an ellipsis what does not fit even at the smallest size', () => {
		expect(fitText('word '.repeat(500), box).lines.at(-1)).toMatch(/…$/);
	});

	it('leaves no word alone on the last line', () => {
		const { lines } = fitText('one two three four five six seven', { ...box, height: 80 });
		expect(lines.at(-1)?.split(' ').length).toBeGreaterThan(1);
	});

	it('never leaves the box, whatever the text', () => {
		fc.assert(
			fc.property(anyPrompt, fc.integer({ min: 20, max: 500 }), (prompt, width) => {
				const { lines, fontSize } = fitText(drawable(prompt), { ...box, width });
				expect(lines.length * fontSize * LINE_HEIGHT).toBeLessThanOrEqual(box.height);
				for (const line of lines) {
					// A grapheme wider than the box stands alone: there is no narrower way.
					const alone = [...new Intl.Segmenter().segment(line)].length <= 2;
					if (!alone) expect(widthInEm(line) * fontSize).toBeLessThanOrEqual(width + 0.01);
				}
			}),
		);
	});
});
