import { pick } from '../../random';
import { glass } from './glass';
import { planets } from './planets';
import { ridges } from './ridges';
import type { Scene, Stage } from './scene';
import { waves } from './waves';

export type { Draw, Stage } from './scene';

const SCENES: ReadonlyArray<{ words: RegExp; scene: Scene }> = [
	{ words: /space|planet|galaxy|cosmic|orbit|moon|rocket|astronaut/, scene: planets },
	{ words: /sea|ocean|water|wave|lake|river|boat|ship|beach|harbou?r/, scene: waves },
	{ words: /mountain|hill|forest|desert|landscape|sunset|sunrise|fox|valley|snow/, scene: ridges },
	{ words: /abstract|glass|light|neon|logo|product|perfume|bottle/, scene: glass },
];

/** The scene that the prompt's words call for, or a seeded one when it names none. */
export function chooseScene(prompt: string, stage: Stage) {
	const seeded = pick(stage.random, SCENES);
	const text = prompt.toLowerCase();
	return (SCENES.find(({ words }) => words.test(text)) ?? seeded).scene(stage);
}
