import fc, { anyCodePoint } from '../support/fastCheck';
import { safeFileName } from '../../src/base/fileNames';
import { cases } from '../support/thorough';

test.each([
	['cat.png', 'cat.png'],
	['../etc/passwd', 'passwd'],
	['C:\\Users\\me\\cat.png', 'cat.png'],
	['..', ''],
	['.htaccess', 'htaccess'],
	['  cat.png. ', 'cat.png'],
	['a<b>:"|?*.png', 'ab.png'],
	['evil\u202egnp.exe', 'evilgnp.exe'],
	['con', '_con'],
	['CON.txt', '_CON.txt'],
])('%p becomes %p', (given, safe) => {
	expect(safeFileName(given)).toBe(safe);
});

test('at most 200 bytes, with the extension kept and no character cut in two', () => {
	expect(safeFileName(`${'a'.repeat(300)}.png`)).toBe(`${'a'.repeat(196)}.png`);
	const wide = safeFileName(`${'😀'.repeat(100)}.png`);
	expect(wide).toBe(`${'😀'.repeat(49)}.png`);
	expect(safeFileName(`${'a'.repeat(198)} .${'b'.repeat(50)}`)).toBe('a'.repeat(198));
});

test('whatever comes in, the name is safe everywhere, and cleaning it again changes nothing', () => {
	const nasty = fc.constantFrom(
		...['.', ' ', '/', '\\', '\u0000', '\u202e', 'con', 'NUL', '\ud800', '😀', 'a'],
	);
	const text = fc.oneof(
		fc.string({ unit: anyCodePoint, maxLength: 300 }),
		fc.array(nasty, { maxLength: 300 }).map((parts) => parts.join('')),
	);
	fc.assert(
		fc.property(text, (given) => {
			const safe = safeFileName(given);
			expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(200);
			expect(safe).not.toMatch(/[/\\<>:"|?*]|\p{Cc}|\p{Bidi_Control}/u);
			expect(safe).not.toMatch(/^[.\s]|[.\s]$/);
			expect(safe).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
			expect(safeFileName(safe)).toBe(safe);
		}),
		{ numRuns: cases(500) },
	);
});
