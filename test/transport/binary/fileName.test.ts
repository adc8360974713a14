import fc from 'fast-check';
import { safeFileName } from '../../../src/transport/binary/fileName';

test.each([
	['cat.png', 'cat.png'],
	['Katze im Garten (2).png', 'Katze im Garten (2).png'],
	['猫.png', '猫.png'],
	['../../etc/passwd', 'passwd'],
	['C:\\Users\\me\\cat.png', 'cat.png'],
	['/', ''],
	['..', ''],
	['.htaccess', 'htaccess'],
	['  cat.png. ', 'cat.png'],
	['ca\u0000t\r\n.png', 'cat.png'],
	['a<b>:"|?*.png', 'ab.png'],
	['evil\u202egnp.exe', 'evilgnp.exe'],
	['a\u2066b\u200fc\u061c.png', 'abc.png'],
	['con', '_con'],
	['CON.txt', '_CON.txt'],
	['lpt1.png', '_lpt1.png'],
	['console.png', 'console.png'],
	['a\ud800b.png', 'ab.png'],
	['', ''],
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
		'.',
		' ',
		'/',
		'\\',
		'\u0000',
		'\u202e',
		'con',
		'NUL',
		'\ud800',
		'😀',
		'a',
	);
	const text = fc.oneof(
		fc.string({ unit: 'binary', maxLength: 300 }),
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
		{ numRuns: 500 },
	);
});
