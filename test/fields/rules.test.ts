import { tryToParseDateTime } from 'n8n-workflow';
import { LIMITS } from '../../src/api';
import {
	ABSENT,
	binaryField,
	choice,
	dateTime,
	flag,
	id,
	jsonObject,
	located,
	media,
	minutes,
	name,
	names,
	number,
	optional,
	prose,
	type Rule,
} from '../../src/fields/rules';
import { parsedJson } from '../../src/fields/rules/json';
import { blocks } from '../../nodes/Speech/fields';
import { BinaryReference } from '../../src/files/localFile';
import { context as usual, localContext } from '../support/rules';

const context = { ...usual, timezone: 'Europe/Berlin' };

const count = number({ ...LIMITS.count, integer: true });
const imageOrVideo = choice(['image', 'video']);
const single = media({ max: 1 });
const clearing = optional(prose({ clears: true }));

const NOON = Date.parse('2026-01-31T12:00:00Z');
const inTokyo = tryToParseDateTime(new Date(NOON), 'Asia/Tokyo');
const UTC_NOON = '2026-01-31T12:00:00.000Z';

const A = 'https://example.com/a.png';
const B = 'https://example.com/b.png';
const ARCHIVED = `https://web.archive.org/web/2020/${A}`;
const THROUGH_PROXY = `https://proxy.example/a.png?a=1&u=${A}#https://b.example`;
const PLANET = 'https://example.com/Mercury_(planet)';
const data = new BinaryReference('data');
const clip = new BinaryReference('clip');
const byUrl = (value: unknown) => ({ __rl: true, mode: 'url', value });
const binary = (value: unknown) => ({ __rl: true, mode: 'binary', value });
const OTHER = { mimeType: 'image/png', fileName: 'b.png', id: 'x' };
const fromList = (value: unknown) => ({ __rl: true, mode: 'list', value });

test.each<[string, Rule, given: unknown, used: unknown]>([
	// Prose keeps its blanks, and loses what cannot be sent.
	['prose', prose(), ' a cat \n', ' a cat \n'],
	['prose', prose(), 7, '7'],
	['prose', prose(), '👩‍🚀, half of \ud83d\u0000 and 😀', '👩‍🚀, half of  and 😀'],
	['prose of at most 3 characters', prose({ max: 3 }), '😀😀😀', '😀😀😀'],
	['a name', name(), '\u200bstudio/image-1\n', 'studio/image-1'],
	['a name', name(), 7.5, '7.5'],
	['names', names(), 'a, b\nc,a, ', ['a', 'b', 'c']],
	['names', names(), ['a', null, ' b '], ['a', 'b']],
	['names', names(), ' , ', undefined],
	['a choice', imageOrVideo, '\u200bimage ', 'image'],
	['an ID', id(), ' a b\n', 'a b'],
	['an ID', id(), '%2e%2e', '%2e%2e'],
	['an ID', id(), 7, '7'],

	['a count', count, 1, 1],
	['a count', count, 16, 16],
	['a count', count, ' 7 ', 7],
	['a number from 0.5', number({ min: 0.5 }), 0.5, 0.5],
	['any number', number(), -1e300, -1e300],
	['minutes', minutes(), '0.5', 30_000],
	['a flag', flag(), ' True ', true],
	['a flag', flag(), 1, true],
	['a flag', flag(), '1', true],
	['a flag', flag(), 'FALSE', false],
	['a flag', flag(), 0, false],

	// Without an offset it is taken in the timezone of the workflow.
	['a time', dateTime(), '2026-01-31T12:00:00Z', UTC_NOON],
	['a time', dateTime(), '2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
	['a time', dateTime(), '2026-01-31 12:00:00', '2026-01-31T11:00:00.000Z'],
	['a time', dateTime(), ' 2026-01-31 ', '2026-01-30T23:00:00.000Z'],
	['a Date', dateTime(), new Date(NOON), UTC_NOON],
	['a DateTime', dateTime(), inTokyo, UTC_NOON],
	['a DateTime as text', dateTime(), inTokyo.toString(), UTC_NOON],
	['milliseconds', dateTime(), NOON, UTC_NOON],

	['JSON', jsonObject(), { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
	['JSON', jsonObject(), { a: 'half \ud83d\u0000' }, { a: 'half ' }],
	['JSON as text', jsonObject(), '{"a": [1]}', { a: [1] }],
	['JSON of a model', jsonObject(), 'Here:\n```\n{"a": 1}\n```\nDone.', { a: 1 }],
	['an object without fields', jsonObject(), ' {} ', undefined],

	['a locator', located(name()), fromList(fromList('m')), 'm'],
	['a locator without its mark', located(name()), { mode: 'id', value: ' m ' }, 'm'],
	['text for a locator', located(name()), 'm', 'm'],

	['URLs, one a line', media(), `<${A}>\n"${B}"`, [A, B]],
	['URLs in an array', media(), [null, A, B, undefined], [A, B]],
	['URLs as JSON', media(), JSON.stringify([A, B]), [A, B]],
	['URLs of a model', media(), '```json\n["' + A + '"]\n```', [A]],
	['an empty list as JSON', media(), '[]', undefined],
	['our own outputs', media(), [{ id: 'o1', url: A, media_type: 'image/png' }, { url: B }], [A, B]],
	['a file and a URL', media(), `binary: clip\n${A}`, [clip, A]],
	['a file of the item', media(), context.files.clip, [clip]],
	['URLs with a blank between', media(), byUrl(`${A} ${B}`), [A, B]],
	['lines that the editor has joined', media(), byUrl(`${A}${B}`), [A, B]],
	['a URL within a URL', media(), byUrl(ARCHIVED), [ARCHIVED]],
	['a URL in the query of another', media(), byUrl(THROUGH_PROXY), [THROUGH_PROXY]],
	['URLs with other signs between', media(), byUrl(`${A}; ${B}`), [A, B]],
	['URLs with other signs between', media(), `${A}|${B}`, [A, B]],
	['URLs with other signs between', media(), `${A}\t${B},`, [A, B]],
	['URLs with other signs between', media(), `(${A}), [${B}];`, [A, B]],
	['URLs with other signs between', media(), `'${A}' | '${B}'`, [A, B]],
	['URLs with other signs between', media(), `“${A}”, „${B}“`, [A, B]],
	['URLs with other signs between', media(), [`${A};`, `<${B}>|`], [A, B]],
	['URLs with other signs between', media(), [`${A}; ${B}`], [A, B]],
	['URLs with other signs between', media(), { url: `${A};` }, [A]],
	['URLs with other signs between', media(), `${A}，「${B}」。`, [A, B]],
	['URLs with other signs between', media(), `‹${A}›；（${B}）…`, [A, B]],
	['URLs with other signs between', media(), `${A}. ${B}.`, [A, B]],
	[
		'a bracket of its own',
		media(),
		'https://a.example/（a）、https://a.example/(b).',
		['https://a.example/%EF%BC%88a%EF%BC%89', 'https://a.example/(b)'],
	],
	['a bracket of a URL', media(), `(${PLANET}) (${PLANET})`, [PLANET, PLANET]],
	['a blank in a URL', media(), 'https://example.com/a b.png', ['https://example.com/a%20b.png']],
	['an array in a locator', media(), byUrl([A, 'binary:data']), [A, data]],
	['the old word for a file', media(), byUrl(`binary:data ${A}`), [data, A]],
	['binary fields', media(), binary(' data, clip '), [data, clip]],
	['one file', single, binary('binary:data'), [data]],
	['the field of a file', binaryField(), ' clip ', clip],
	['the field of a file', binaryField(), 'binary:clip', clip],
	['the file itself', binaryField(), context.files.clip, clip],

	['a field of an update', optional(prose({ required: true })), ABSENT, undefined],
	['a field of an update', optional(prose({ required: true })), '', undefined],
	['one that an empty text clears', clearing, '', ''],
	['one that an empty text clears', clearing, ABSENT, undefined],
])('%s: %p is used as %p', (_what, rule, given, used) => {
	expect(rule(given, context)).toEqual({ value: used });
});

const NOT_A_TIME = /^must be a date and time .*got /;
const NOT_A_COUNT = /^must be a whole number from 1 to 16, got /;
const GIVES_NOTHING = /^was added, but its expression gives nothing$/;
const LOST = /^cannot be used: in it "/;

test.each<[string, Rule, problem: RegExp, given: unknown[]]>([
	['prose', prose(), /^must be text, got /, [['a'], 2 ** 60, { toString: 5 }]],
	['a long text', prose({ max: 3 }), /^has 4 characters; at most 3 are allowed$/, ['😀😀😀😀']],
	['a name', name(), /^must be text, got /, [true]],
	['a name of two lines', name(), /^must be on one line, got "a b"$/, ['a\nb']],
	['names', names(), /^must be text, got /, [[{}]]],
	['a choice', imageOrVideo, /^must be one of image, video, got /, ['Image', ['image'], 7]],
	// It could lead elsewhere.
	['an ID', id(), /^is not a valid ID/, ['a/b', 'a\\b', '..', '.', 'a..b', 'a\nb', 'a\u0000b']],
	['no ID', id(), /^must be an ID, got /, [{}, true, Number('9007199254740993')]],

	['a count', count, NOT_A_COUNT, [0, 17, 1.5, NaN]],
	['a count', count, NOT_A_COUNT, ['x', '0x10', '1,5', 'Infinity', true, [1], 10n]],
	['a number', number({ min: 0.5, max: 2 }), /^must be a number from 0.5 to 2, got /, [0.49, 2.01]],
	['a small number', number({ min: 1 }), /^must be a number of at least 1, got /, [0]],
	['a large number', number({ max: 12 }), /^must be a number of at most 12, got /, [13]],
	['minutes', minutes(), /^must be a number above 0, got 0$/, [0]],
	['a flag', flag(), /^must be true or false, got /, ['yes', 2, {}, [true], 'constructor']],

	['a time', dateTime(), NOT_A_TIME, ['soon', '12/31/2026', '2026', new Date(NaN)]],
	['a day that does not exist', dateTime(), NOT_A_TIME, ['2026-02-30T12:00:00Z']],
	['the hour that summer time leaves out', dateTime(), NOT_A_TIME, ['2026-03-29T02:30:00']],
	['seconds, not milliseconds', dateTime(), NOT_A_TIME, [1_769_860_800]],

	['JSON', jsonObject(), /^must be a JSON object, got /, ['[1]', 'null', '{"a"', 7, [{ a: 1 }]]],
	['JSON that loses something', jsonObject(), LOST, [{ a: { b: undefined } }, { a: [NaN] }]],

	['no URL', media(), /: "(data:image|a\.png)/, ['data:image/png;base64,AA', 'a.png']],
	['a URL without https', media(), /: "http:/, ['http://example.com/a.png', 'http://127.0.0.1/a']],
	[
		'a URL with what no URL ends with',
		media(),
		/^is not a URL: /,
		[`${A}^`, `${A}\\`, `${A}/{id}`],
	],
	[
		'what stands between URLs',
		media(),
		/^is not a URL: "(and|b.png)"$/,
		[`${A} and ${B}`, `x b.png, ${A}`.slice(2)],
	],
	['a medium', media(), /^must be a URL or the name of a binary field/, [7, {}, { url: 7 }, [[A]]]],
	['an empty list as JSON', media({ required: true }), /^is empty$/, ['[]']],
	[
		'a file of another item',
		media(),
		/^is the file "b.png", which is not one file of this/,
		[OTHER],
	],
	['a file without a name', media(), /^names no binary field/, [binary(''), binary(' ')]],
	['one of two', single, /^takes at most 1 item, got 2$/, [binary('data, clip')]],

	['what gives nothing', prose(), GIVES_NOTHING, [undefined, null, [], [null]]],
	['what gives nothing in an update', optional(prose()), GIVES_NOTHING, [null]],
])('%s is refused: %#', (_what, rule, problem, given) => {
	for (const each of given)
		expect(rule(each, context)).toMatchObject({
			problem: expect.stringMatching(problem) as string,
		});
});

test.each<[string, Rule, required: Rule]>([
	['prose', prose(), prose({ required: true })],
	['a number', number(), number({ required: true })],
	['a locator', located(name()), located(name({ required: true }))],
	['media', media(), media({ required: true })],
])('%s: what is not there is left out, or is a problem when required', (_what, rule, required) => {
	for (const given of [ABSENT, '', ' \n\t', '\u200b']) {
		expect(rule(given, context)).toEqual({ value: undefined });
		expect(required(given, context)).toEqual({
			problem: 'is empty',
			hint: 'Fill it in, or correct its expression',
		});
	}
	expect(required([null], context)).toEqual({
		problem: 'is empty',
		hint: 'Fill it in, or correct its expression',
	});
});

test.each([id(), binaryField()])('an ID and the field of a file are always needed: %#', (rule) => {
	for (const given of ['', '\u200b', undefined, []])
		expect(rule(given, context)).toEqual({
			problem: 'is empty',
			hint: 'Fill it in, or correct its expression',
		});
});

test('a binary field that the item lacks is named, with those that it has', () => {
	expect(media()('binary:other', context)).toEqual({
		problem: 'names the binary field "other", which the item does not have',
		hint: 'Binary fields of this item: data, clip',
	});
});

test.each([' lead', 'a,b', 'binary:data', 'https://a.example/b.png', '[1]', '_files.data'])(
	'where a file is called %j, that is what its name means',
	(called) => {
		const files = { ...context.files, [called]: OTHER } as typeof context.files;
		const odd = new BinaryReference(called);
		expect(media()(binary(called), { ...context, files })).toEqual({ value: [odd] });
		expect(media()(binary(`binary:${called}`), { ...context, files })).toEqual({ value: [odd] });
		expect(media()(binary([called, 'data']), { ...context, files })).toEqual({
			value: [odd, data],
		});
		expect(binaryField()(called, { ...context, files })).toEqual({ value: odd });
	},
);

test('a file that two fields hold is not taken for one of them', () => {
	const file = context.files.data;
	const files = { data: file, copy: file } as typeof context.files;
	expect(media()(file, { ...context, files })).toHaveProperty('problem');
});

test('JSON that is nested without an end is no JSON, whatever reads it', () => {
	const deep = (opener: string, closer: string) =>
		`${opener.repeat(100_000)}1${closer.repeat(100_000)}`;
	const [ofBlocks] = blocks
		.filter(({ name: called }) => called === 'blocksJson')
		.flatMap(({ mapping }) => (mapping && 'rule' in mapping ? [mapping.rule] : []));
	if (!ofBlocks) throw new Error('no such field');
	for (const text of [deep('[', ']'), deep('{"a":', '}'), deep('[{"text":', '}]')]) {
		expect(parsedJson(text)).toBeUndefined();
		for (const rule of [jsonObject(), media(), ofBlocks])
			expect(rule(text, context)).toHaveProperty('problem');
	}
});

test('http is for a service on this machine, and stays on it', () => {
	expect(media()('http://127.0.0.1:4010/a.png', localContext)).toHaveProperty('value');
	expect(media()('http://example.com/a.png', localContext)).toHaveProperty('problem');
});
