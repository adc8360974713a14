import { STATED_PRICES } from '../../contract';
import type { ModelEntry } from '../catalogue/models';

/**
 * Open point 24: prices in credits. Only the lite speech model's and planning's are stated by the
 * specification; all others are fiction of the sandbox.
 */
export const PRICES = {
	imageByQuality: { low: 1, medium: 2, high: 4 },
	videoPerSecond: { 'studio/video-1': 2, 'studio/video-2': 5 } as Record<string, number>,
	music: 10,
	sfx: 3,
	/** Of the speech model that is not the lite one: each started hundred characters. */
	turboPerHundredCharacters: 1,
	voiceClone: 50,
	voiceDesign: 30,
	/** Preview synthesis: each started hundred characters of the preview text. */
	previewPerHundredCharacters: 1,
	personaPortrait: 5,
	agentPlanning: STATED_PRICES.agentPlanning,
	agentStep: { image: 4, video: 20, music: 10, speech: 2 },
} as const;

/** Parameters as they hold for a job: those given over the model's defaults. */
export type Effective = Record<string, string | number | boolean | undefined>;

/** Characters as the service counts them: code points, so that an emoji is one. */
export function countCharacters(text: string): number {
	let count = 0;
	for (const character of text) count += character.length > 0 ? 1 : 0;
	return count;
}

/** Seconds of a duration such as `5` or `5s`. */
export function readSeconds(duration: unknown, otherwise: number): number {
	const seconds = parseFloat(String(duration ?? otherwise));
	return Number.isFinite(seconds) ? seconds : otherwise;
}

function imagePrice(quality: string): number {
	const prices: Record<string, number> = PRICES.imageByQuality;
	return prices[quality] ?? PRICES.imageByQuality.medium;
}

/** The price of one output of a generation, for every model but the metered lite speech model. */
export function outputPrice(model: ModelEntry, parameters: Effective, prompt: string): number {
	switch (model.kind) {
		case 'image':
			return imagePrice(String(parameters.quality));
		case 'video':
			return Math.ceil(
				readSeconds(parameters.duration, 4) * (PRICES.videoPerSecond[model.id] ?? 2),
			);
		case 'music':
			return PRICES.music;
		case 'sfx':
			return PRICES.sfx;
		default:
			return turboPrice(countCharacters(prompt));
	}
}

/** The price of speech by the model that is not metered. */
export function turboPrice(characters: number): number {
	return Math.ceil(characters / 100) * PRICES.turboPerHundredCharacters;
}
