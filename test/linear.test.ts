/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { splitText } from '../nodes/Speech/splitText';
import { eventIdentity } from '../nodes/Trigger/delivery';
import { isBlank, quoted, sendable, trimmed, unwrapped } from '../src/base/texts';
import { flagOf, parsed, readable } from '../src/base/values';
import { readEvent, readPayload } from '../src/trigger/event';
import { whyUntrusted } from '../src/trigger/signature';
import {
	binaryField,
	choices,
	dateTime,
	flag,
	httpsUrl,
	id,
	jsonObject,
	located,
	media,
	name,
	names,
	number,
	prose,
	type Rule,
} from '../src/fields/rules';
import { parsedJson } from '../src/fields/rules/json';
import { presetVoiceName } from '../src/n8n/pickers/choices';
import { withEditorLabels } from '../src/n8n/output/editorLabels';
import { mediaUrlIn } from '../src/fields/rules/media';
import { transferUrlProblem } from '../src/files/transfer';
import { messageIn, plainText, whatCame, wordsOfPage } from '../src/transport/bodies';
import { maskSecret, readBaseUrl, readCredential } from '../src/transport/credential';
import { retryAfterMs } from '../src/transport/retries';
import { readerPath } from '../src/transport/jobState';
import { localReason, toNoResponse } from '../src/transport/network';
import { errorOf } from '../src/transport/statuses';
import { uploadHeaders } from '../src/files/uploadHeaders';
import { detect, nameOfType, statedType, typeOfName } from '../src/files/fileTypes';
import { safeFileName } from '../src/base/fileNames';
import { readableStem } from '../src/creation/outputs';
import { statedLength } from '../src/n8n/n8nHost';
import { context } from './support/rules';

/** Everything that reads a text of others, by what it reads. */
const READERS: Record<string, (text: string) => unknown> = {
	'a file name': safeFileName,
	'the words and the id that name a file': (text) => readableStem(text, text, text, 1),
	'the ending of a name': (text) => [typeOfName(text), nameOfType(text, 'image/png')],
	'a stated type': statedType,
	'the bytes of a file': (text) => detect(Buffer.from(text), { types: [text], name: text }),
	'a header for an upload': (text) => uploadHeaders({ [text]: text, b: text }, 1),
	'a stated length': (text) => statedLength({ 'content-length': text }),
	'a time to wait': (text) => retryAfterMs({ 'retry-after': text }, 0),
	'an answer': (text) => whatCame(parsed(text)),
	'the words of an error': (text) => errorOf({ error: { message: text, type: text } }),
	'the words of an error anywhere': (text) => messageIn({ errors: [{ detail: text }] }),
	'the words of a page': (text) => [wordsOfPage(text), errorOf(text), plainText(text)],
	'the fields in an error': (text) => withEditorLabels(text, { prompt: 'Prompt', 'a.b': 'B' }),
	'an error of n8n': (text) => toNoResponse(new Error(text)),
	'an error of a storage': (text) => localReason({ message: text, name: text, code: text }),
	'an answer that may be too deep': (text) => readable(parsed(text)),
	'an answer that may hold the key': (text) => maskSecret({ [text]: text }, 'canary-key-123'),
	'a link for a transfer': (text) => transferUrlProblem(text, 'https://api.example/v1'),
	'the host of a link': (text) => transferUrlProblem(`https://${text}/a`, 'https://api.example'),
	'a link of a medium': (text) => mediaUrlIn(`https://a.example/${text}`, 'https://api.example'),
	'a base URL': (text) => [readBaseUrl(text), readBaseUrl(`https://a.example/${text}`)],
	'a key': (text) => readCredential({ baseUrl: 'https://a.example/v1', apiKey: text }),
	'the id of a job': (text) => readerPath({ id: text, object: text }),
	'the name of a voice': (text) =>
		presetVoiceName({ name: text, language_name: text, language_code: text }),
	'the body of an event': (text) => readPayload(Buffer.from(text)),
	'an event': (text) => [
		readEvent({ type: text }),
		eventIdentity({ type: text, data: { id: text } }),
	],
	'a signature': (text) =>
		whyUntrusted({
			secret: 'x',
			timestamp: '1700000000',
			signature: text,
			rawBody: Buffer.from(text),
			now: 1_700_000_000_000,
		}),
	'a text': (text) => [isBlank(text), trimmed(text), sendable(text), unwrapped(text)],
	'a value in an error': (text) => [quoted(text), quoted({ [text]: text }), flagOf(text)],
	'JSON of a model': parsedJson,
	'a text to speak': (text) => splitText(text, 1_000),
	'a text to speak in short blocks': (text) => splitText(text, 20),
};

const RULES: Record<string, Rule> = {
	prose: prose({ max: 10_000 }),
	name: name({ max: 80 }),
	names: names(),
	id: id(),
	choices: choices(['a']),
	httpsUrl: httpsUrl(),
	jsonObject: jsonObject(),
	media: located(media()),
	binaryField: binaryField(),
	dateTime: dateTime(),
	number: number(),
	flag: flag(),
};

for (const [called, rule] of Object.entries(RULES))
	READERS[`a value of the rule ${called}`] = (text) => rule(text, context);

READERS['names of files'] = (text) => media()({ __rl: true, mode: 'binary', value: text }, context);

/** What is repeated, between what stands before and after it. */
type Worst = [before: string, repeated: string, after: string];

const WORST: Worst[] = [
	['', 'a', ''],
	['', '1', 'x'],
	['', '\ufffd', ''],
	['', '😀', ''],
	['a', ' ', 'a'],
	['a', '. ', 'a'],
	['a', '\u200b', 'a'],
	['', '\n', 'a'],
	['a', '\n\n', 'a'],
	['', ' \n,', 'a'],
	['', '/', 'x'],
	['a', '/v1', '!'],
	['a', '/v1/x', '\n'],
	['', 'a.', '!'],
	['', 'a-', '!'],
	['', 'https://', ''],
	['', 'https://a.example/ ', ''],
	['', 'https://a.example/?', ' '],
	['', 'binary:', ''],
	['', '<', ''],
	['', '<!--', ''],
	['', '<!-- -->', ''],
	['', '<?a>', ''],
	['', '<script', ''],
	['', '<script>', ''],
	['', '<title', ''],
	['', '<a b="', ''],
	['', '<say-as>', ''],
	['', '</say-as>', ''],
	['', '<b>a</b> ', ''],
	['', '[', ''],
	['', '[a]', ''],
	['', '[a] b [/a]', ''],
	['[', '[', ']'],
	['', '{"a":', ''],
	['"', '\\', ''],
	['', '"', ''],
	['', '“', ''],
	['', '(', ''],
	['', ' (', ''],
	['', '```', ''],
	['', '``` ', '`'],
	['```', ' ', '`'],
	['', 'Bearer ', ''],
	['', 'a=', ''],
	['a', '=', 'b'],
	['', 'set ', ''],
	['', '%', ''],
	['', '"prompt', ''],
	['', 'a/', ''],
	['', 'Mr. ', ''],
	['', 'A. ', ''],
	['', '1. a\n', ''],
	['', ';', ''],
	['', 'v1=,', ''],
];

const written = ([before, repeated, after]: Worst, length: number): string =>
	before + repeated.repeat(Math.ceil(length / repeated.length)) + after;

/**
 * What the processor was busy with, in ms: other processes take none of it, but their use of the caches and a
 * collection of garbage make it more than the reading costs.
 */
function costOf(read: (text: string) => unknown, text: string): number {
	const before = process.cpuUsage();
	try {
		read(text);
	} catch {
		// What a reader refuses by throwing is the matter of other tests.
	}
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1_000;
}

/** Below this, in ms, it is the machine that is measured. */
const LEAST = 20;

/** Ten times the text should take ten times as long, and a hundred times is what must not be. */
const MOST_RATIO = 50;

/** How often what seems to grow too fast is measured again. */
const REPEATS = 2;

/** What grows faster than the text stands out in a short one already, among the first of so many. */
const WORST_OF_ALL = 2;

test.each(Object.entries(READERS))('%s: ten times the text takes ten times as long', (_, read) => {
	const slow: string[] = [];
	const costs = WORST.map((worst) => ({ worst, cost: costOf(read, written(worst, 5_000)) }));
	const worstFirst = costs.sort((one, other) => other.cost - one.cost);
	for (const { worst, cost } of worstFirst.slice(0, WORST_OF_ALL)) {
		let before = cost;
		for (const length of [100_000, 1_000_000]) {
			const text = written(worst, length);
			const most = MOST_RATIO * Math.max(LEAST, before);
			let now = costOf(read, text);
			// What grows faster than the text does so each time; a busy machine is slow once.
			for (let again = 0; now > most && again < REPEATS; again++)
				now = Math.min(now, costOf(read, text));
			if (now > most)
				slow.push(`${JSON.stringify(worst)} of ${length}: ${now} ms after ${before} ms`);
			if (slow.length > 0) break;
			before = now;
		}
	}
	expect(slow).toEqual([]);
});
