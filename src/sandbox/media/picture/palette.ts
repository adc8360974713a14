import { pick, type Random } from '../random';

/** Colours are `#rrggbb`. */
export interface Palette {
	/** From the top of the sky to the horizon. */
	sky: readonly [string, string, string];
	/** Of the sun, the moon, the highlights. */
	light: string;
	/** Of what is far away, and of what is near. */
	far: string;
	near: string;
	accents: readonly [string, string, string];
}

type Named = Palette & { words: RegExp };

const PALETTES: readonly Named[] = [
	{
		words: /sunset|sunrise|dawn|dusk|evening|autumn|warm|fire|fox|desert|orange/,
		sky: ['#2b1b54', '#c2416b', '#ffb36b'],
		light: '#ffe8bd',
		far: '#b9536f',
		near: '#1c1033',
		accents: ['#ff7a59', '#ffc15e', '#8f3a84'],
	},
	{
		words: /night|moon|star|space|galaxy|planet|dark|cosmic/,
		sky: ['#070b22', '#182a63', '#5b4aa8'],
		light: '#f4ecff',
		far: '#3d3f8f',
		near: '#060818',
		accents: ['#7c6cf2', '#39c5e0', '#f28ac0'],
	},
	{
		words: /sea|ocean|water|wave|lake|river|blue|harbou?r|boat|ship|rain/,
		sky: ['#0b3b66', '#2a8fbd', '#bfe9e4'],
		light: '#fffbe6',
		far: '#4fa6c2',
		near: '#06283f',
		accents: ['#18b7be', '#7fe0d0', '#f6c667'],
	},
	{
		words: /forest|tree|green|garden|jungle|spring|leaf|leaves|nature|tea/,
		sky: ['#0f3d3e', '#3f8f74', '#e9edb0'],
		light: '#fff7cf',
		far: '#6fae86',
		near: '#08231f',
		accents: ['#a4cf6a', '#35a07e', '#f2d16b'],
	},
	{
		words: /snow|ice|winter|mountain|cold|white|cloud|morning|mist|fog/,
		sky: ['#4d6fa8', '#a6bfe0', '#fbe3dc'],
		light: '#ffffff',
		far: '#a3b3d4',
		near: '#23304f',
		accents: ['#f5b8b5', '#8fb4e8', '#ffffff'],
	},
	{
		words: /pink|rose|flower|love|candy|blossom|cherry/,
		sky: ['#5b2a86', '#e0608f', '#ffd3b8'],
		light: '#fff0e0',
		far: '#d97aa0',
		near: '#331247',
		accents: ['#ff9fb2', '#b86bff', '#ffd76b'],
	},
	{
		words: /city|neon|cyber|robot|future|tech|electric|synth|retro/,
		sky: ['#12062e', '#5a1a8c', '#ff5fa2'],
		light: '#ffe27a',
		far: '#7a2aa8',
		near: '#0c0420',
		accents: ['#18e0ff', '#ff4fa3', '#ffd23f'],
	},
];

/** The colours that the prompt's words call for, or seeded ones when it names none. */
export function choosePalette(prompt: string, random: Random): Palette {
	const seeded = pick(random, PALETTES);
	const text = prompt.toLowerCase();
	return PALETTES.find(({ words }) => words.test(text)) ?? seeded;
}

/** Between two colours; share 0 gives the first. */
export function mix(from: string, to: string, share: number): string {
	const channel = (color: string, i: number) => parseInt(color.slice(1 + i * 2, 3 + i * 2), 16);
	return `#${[0, 1, 2]
		.map((i) => Math.round(channel(from, i) * (1 - share) + channel(to, i) * share))
		.map((value) => value.toString(16).padStart(2, '0'))
		.join('')}`;
}
