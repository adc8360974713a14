import fc, { anyCodePoint } from '../support/fastCheck';
import { safeFileName } from '../../src/base/fileNames';
import { readableStem } from '../../src/creation/outputs';
import { cases } from '../support/thorough';

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
