import fc, { anyCodePoint } from '../support/fastCheck';
import { readableStem, safeFileName } from '../../src/files/names';
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

test.each([
	['A lighthouse at dawn', 'gen_01J9ZK3F2A', 'a-lighthouse-at-dawn-zk3f2a'],
	['  Hello,   world! [fail] ', 'b5d7c0de-1111-4222-8333-0123456789ab', 'hello-world-fail-6789ab'],
	['../etc/passwd', '../x', 'etc-passwd-x'],
	['!!!', 'gen_1', 'image-1'],
	['', '😀', 'image'],
	['Ein Café', 'gen_1', 'ein-café-1'],
])('what was asked for names the file: %p of %p becomes %p', (words, id, stem) => {
	expect(readableStem(words, 'image', id)).toBe(stem);
});

test('whatever the prompt, the name is safe everywhere and leaves room for an extension', () => {
	const text = fc.string({ unit: anyCodePoint, maxLength: 300 });
	fc.assert(
		fc.property(text, text, fc.option(fc.nat(99), { nil: undefined }), (words, id, number) => {
			const stem = readableStem(words, 'image', id, number);
			expect(stem).not.toBe('');
			expect(Buffer.byteLength(stem)).toBeLessThanOrEqual(190);
			expect(safeFileName(`${stem}.png`)).toBe(`${stem}.png`);
		}),
		{ numRuns: cases(500) },
	);
});
