import fc, { anyCodePoint } from '../../../support/fastCheck';

const nasty = fc.constantFrom(
	'',
	' ',
	'\u0000\u0001\u001f\u007f',
	'\ud800',
	'\udfff\ud800',
	'<svg onload="x"><![CDATA[ & ]]> &amp; &#0; \'"',
	'🦊🏳️‍🌈👩‍👩‍👧‍👦',
	'\u202eשלום مرحبا\u202c',
	'日本語の長い文章',
	'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤',
	'\ufeff\u200d\ufffe\uffff',
	'\n\r\t\v\u2028',
	'A'.repeat(10_000),
	'word '.repeat(2_000),
	'Ω'.repeat(10_000),
);

/** Prompts that people, machines and attackers might send, of up to 10,000 characters. */
export const anyPrompt = fc.oneof(
	nasty,
	fc.string({ unit: anyCodePoint, maxLength: 300 }),
	fc.string({ unit: 'grapheme', maxLength: 300 }),
	// UTF-16 code units, so that surrogates stand alone.
	fc
		.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 })
		.map((units) => String.fromCharCode(...units)),
	fc.array(nasty, { maxLength: 4 }).map((parts) => parts.join('').slice(0, 10_000)),
);

/** Settings as they arrive from strangers. */
export const anySetting = fc.oneof(
	fc.constantFrom(
		'',
		'auto',
		'16:9',
		'0:0',
		'1024x768',
		'99999x99999',
		'0x0',
		'4K',
		'720p',
		'1e9p',
	),
	fc.string({ maxLength: 12 }),
);
