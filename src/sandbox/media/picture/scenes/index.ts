import type { Size } from '../../dimensions';
import { pick, randomFrom } from '../../random';
import type { MediaRequest } from '../../types';
import { choosePalette } from '../palette';
import { glass } from './glass';
import { planets } from './planets';
import { ridges } from './ridges';
import type { Draw, Scene } from './scene';
import { waves } from './waves';

const SCENES: ReadonlyArray<{ words: RegExp; scene: Scene }> = [
	{ words: /space|planet|galaxy|cosmic|orbit|moon|rocket|astronaut/, scene: planets },
	{ words: /sea|ocean|water|wave|lake|river|boat|ship|beach|harbou?r/, scene: waves },
	{ words: /mountain|hill|forest|desert|landscape|sunset|sunrise|fox|valley|snow/, scene: ridges },
	{ words: /abstract|glass|light|neon|logo|product|perfume|bottle/, scene: glass },
];

/**
 * The scene that the prompt's words call for, in colours to match; a seeded one where it names
 * none. Each seed and output number starts the scene at another moment and arranges it differently.
 */
export function setScene({ prompt, seed, index }: MediaRequest, size: Size): Draw {
	const random = randomFrom(prompt, seed, index);
	const text = prompt.toLowerCase();
	const palette = choosePalette(text, random);
	const seeded = pick(random, SCENES);
	const { scene } = SCENES.find(({ words }) => words.test(text)) ?? seeded;
	const start = random();
	const draw = scene({ ...size, random, palette, prompt: text });
	return (phase) => draw(start + phase);
}
