import { pick, type Random } from '../../random';
import type { Effect } from './effect';
import { impact, knocks, weather, whoosh } from './noises';
import { chime, chirps, engine, zap } from './tones';

const EFFECTS: ReadonlyArray<{ words: RegExp; effect: Effect }> = [
	{ words: /explo|thunder|boom|impact|crash|bang|hit|slam|cannon|gun|drum/, effect: impact },
	{ words: /whoosh|swoosh|swish|swipe|pass|arrow|sword|fly|transition/, effect: whoosh },
	{ words: /laser|zap|blaster|phaser|arcade|game|ufo|shoot/, effect: zap },
	{
		words: /rain|wind|storm|ocean|sea|wave|water|river|forest|ambien|fire|crowd|noise/,
		effect: weather,
	},
	{ words: /bell|chime|glass|coin|ding|notif|magic|sparkle|success|alert|beep/, effect: chime },
	{ words: /step|knock|door|walk|typ|key|click|clock|tick|wood|horse|clap|run/, effect: knocks },
	{ words: /bird|chirp|cricket|robot|droid|insect|whistle|frog|bubble|cat|pet/, effect: chirps },
	{
		words: /engine|motor|car|truck|machine|drone|plane|train|hum|spaceship|rocket/,
		effect: engine,
	},
];

/** The effect that the prompt's words call for, or a seeded one where it names none. */
export function chooseEffect(prompt: string, random: Random): Effect {
	const seeded = pick(random, EFFECTS);
	const text = prompt.toLowerCase();
	return (EFFECTS.find(({ words }) => words.test(text)) ?? seeded).effect;
}
