import fc from '../../../support/fastCheck';
import { render } from '../../../../src/sandbox/media';
import { MAX_SPEECH_SECONDS, renderSpeech } from '../../../../src/sandbox/media/audio/speech';
import { toSegments } from '../../../../src/sandbox/media/audio/prosody';
import { DIGITS, RULES, WORDS } from '../../../../src/sandbox/media/audio/lexicon';
import { PHONEMES } from '../../../../src/sandbox/media/audio/phonemes';
import { pronounce } from '../../../../src/sandbox/media/audio/spelling';
import { voiceOf } from '../../../../src/sandbox/media/audio/voice';
import { anyPrompt } from '../support/prompts';
import { request } from '../support/request';
import { pitch, readWav } from '../support/wav';

const SENTENCE = 'We all go home.';
const say = async (wish: object) =>
	readWav((await render(request({ kind: 'speech', prompt: SENTENCE, ...wish }))).bytes);

describe('speech', () => {
	it('takes longer for a longer text', async () => {
		const once = (await say({})).duration;
		const thrice = (await say({ prompt: `${SENTENCE} `.repeat(3) })).duration;
		expect(once).toBeGreaterThan(0.5);
		expect(thrice / once).toBeCloseTo(3, 0);
	});

	it.each([0.5, 2])('is spoken at speed %d', async (speed) => {
		const ratio = (await say({})).duration / (await say({ speed })).duration;
		// The closures of stops keep their length, as in people who speak fast.
		expect(ratio / speed).toBeGreaterThan(0.75);
		expect(ratio / speed).toBeLessThan(1.25);
	});

	it('sounds in the pitch of its voice', async () => {
		const voices = ['a', 'b', 'c', 'd', 'e', 'f'].sort(
			(x, y) => voiceOf(x).pitch - voiceOf(y).pitch,
		);
		const [low, high] = [voices[0], voices[voices.length - 1]];
		for (const voice of [low, high]) {
			const heard = pitch(await say({ voice, prompt: 'Aha, aha' }));
			expect(heard / voiceOf(voice).pitch).toBeGreaterThan(0.8);
			expect(heard / voiceOf(voice).pitch).toBeLessThan(1.35);
		}
	});

	it('speaks each block with its voice, with a pause in between', async () => {
		const blocks = [
			{ text: SENTENCE, voice: 'a' },
			{ text: SENTENCE, voice: 'b' },
		];
		const both = await say({ blocks });
		expect(both.duration).toBeGreaterThan((await say({})).duration * 1.9);
		const same = await say({ blocks: blocks.map(({ text }) => ({ text, voice: 'a' })) });
		expect(Buffer.from(same.samples.buffer).equals(Buffer.from(both.samples.buffer))).toBe(false);
	});

	/** Seconds that a text takes of the time there is, without making a sound. */
	const planned = (text: string) =>
		toSegments(text, voiceOf('a'), { seed: '', speed: 1, seconds: MAX_SPEECH_SECONDS }).reduce(
			(sum, { seconds, phoneme }) => sum + seconds + (phoneme?.closure ?? 0),
			0,
		);

	it('has two minutes', () => {
		expect(MAX_SPEECH_SECONDS).toBe(120);
	});

	it.each([
		['of many words', 'word '.repeat(2_000)],
		['without spaces', '日'.repeat(10_000)],
	])('uses the time there is for a text %s, and no more', (_, text) => {
		expect(planned(text)).toBeGreaterThan(110);
		expect(planned(text)).toBeLessThanOrEqual(120);
	});

	it('stops when the time is up, however long the text, the blocks all together', async () => {
		const within = async (seconds: number, wish: object) =>
			readWav((await renderSpeech(request({ kind: 'speech', ...wish }), seconds)).bytes).duration;
		const duration = await within(3, { prompt: 'word '.repeat(100) });
		expect(duration).toBeGreaterThan(2);
		expect(duration).toBeLessThanOrEqual(3);
		const blocks = Array.from({ length: 10 }, () => ({ text: SENTENCE }));
		expect(await within(3, { blocks })).toBeLessThanOrEqual(3.3);
	});

	it.each(['', '!!!', '🦊', '...'])('hums at %j, which has no word', async (prompt) => {
		expect((await say({ prompt })).duration).toBeGreaterThan(0.2);
	});
});

describe('pronounce', () => {
	it.each([
		['ship', 'SH IH P'],
		['night', 'N AY T'],
		['phone', 'F OW N'],
		['station', 'S T EY SH AH N'],
		['Quick', 'K W IH K'],
		['running', 'R AH N IH NG'],
		['apple', 'AE P AH L'],
		['wanted', 'W AE N T IH D'],
		['42', 'F AO R T UW'],
		['...', ''],
	])('says %s as %s', (word, sounds) => {
		expect(pronounce(word).join(' ')).toBe(sounds);
	});

	it('has a sound for each letter of a script that it does not know', () => {
		expect(pronounce('日本').length).toBe(4);
		expect(pronounce('日')).not.toEqual(pronounce('本'));
	});

	it('knows only sounds that can be made, in all its tables', () => {
		const tables = [...WORDS.values(), ...DIGITS, ...RULES.map(([, sounds]) => sounds)];
		for (const name of tables.flat()) expect(Object.keys(PHONEMES)).toContain(name);
	});

	it('speaks a word of ten thousand letters like its runs of forty', () => {
		const run = 'kl'.repeat(20);
		expect(pronounce(run.repeat(250))).toEqual(Array(250).fill(pronounce(run)).flat());
	});

	it('knows only sounds that can be made, whatever the word', () => {
		fc.assert(
			fc.property(anyPrompt, (word) => {
				for (const name of pronounce(word.slice(0, 200))) expect(PHONEMES).toHaveProperty(name);
			}),
		);
	});
});
