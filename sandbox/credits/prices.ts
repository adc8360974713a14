import type { SpeechModel } from '../../src/api';
import type { ModelEntry } from '../catalogue/models';

/**
 * Open point 24: prices in credits. Only the lite speech model's and planning's are stated by the
 * specification; all others are fiction of the sandbox.
 */
export const PRICES = {
	imageByQuality: { low: 1, medium: 2, high: 4 } as Record<string, number>,
	music: 10,
	sfx: 3,
	/** Of the speech model that is not the lite one: each started hundred characters. */
	turboPerHundredCharacters: 1,
	voiceClone: 50,
	voiceDesign: 30,
	/** Preview synthesis: each started hundred characters of the preview text. */
	previewPerHundredCharacters: 1,
	personaPortrait: 5,
	agentPlanning: 1,
	agentStep: { image: 4, video: 20, music: 10, speech: 2 },
} as const;

/** A second. */
const VIDEO_PRICES: Record<string, number> = { 'studio/video-1': 2, 'studio/video-2': 5 };

/** Parameters as they hold for a job: those given over the model's defaults. */
export type Effective = Record<string, string | number | boolean | undefined>;

/** Characters as the service counts them: code points, so that an emoji is one. */
export function countCharacters(text: string): number {
	return [...text].length;
}

/** Seconds of a duration such as `5` or `5s`; where it is none or not positive, what holds otherwise. */
export function readSeconds(duration: unknown, otherwise: number): number {
	const seconds = parseFloat(String(duration ?? otherwise));
	return seconds > 0 && seconds < Infinity ? seconds : otherwise;
}

/** The price of one output of a generation; of metered speech, the most that it can cost. */
export function outputPrice(model: ModelEntry, parameters: Effective, prompt: string): number {
	switch (model.kind) {
		case 'image':
			return PRICES.imageByQuality[String(parameters.quality)] ?? 2;
		case 'video':
			return Math.ceil(readSeconds(parameters.duration, 4) * (VIDEO_PRICES[model.id] ?? 2));
		case 'music':
			return PRICES.music;
		case 'sfx':
			return PRICES.sfx;
		default:
			return speechPrice(model.id, countCharacters(prompt));
	}
}

/** The model that is metered by completed characters. Specification: Limits, Credit rules. */
export const METERED_MODEL: SpeechModel = 'service/speech-lite';

/** Shares of a credit are counted in millionths, so that nothing is ever rounded away. */
const UNITS_PER_CREDIT = 1_000_000;
/** 300 credits for a million completed characters; short requests accumulate. */
const UNITS_PER_CHARACTER = 300;

/**
 * The price of speech. Of the metered model it is the temporary reservation: the most that so many
 * characters can cost, whatever was carried over before. Specification: Limits, Credit rules.
 */
export function speechPrice(model: string, characters: number): number {
	return model === METERED_MODEL
		? Math.ceil((characters * UNITS_PER_CHARACTER) / UNITS_PER_CREDIT)
		: Math.ceil(characters / 100) * PRICES.turboPerHundredCharacters;
}

/** The price of a voice: its creation and the synthesis of its preview. */
export function voicePrice(kind: 'clone' | 'design', preview: string): number {
	const base = kind === 'clone' ? PRICES.voiceClone : PRICES.voiceDesign;
	const hundreds = Math.ceil(countCharacters(preview) / 100);
	return base + hundreds * PRICES.previewPerHundredCharacters;
}

/**
 * Meters completed characters of lite speech: short requests accumulate toward the next credit.
 * `carried` and the answer's `carry` are millionths of a credit, below one credit.
 */
export function meterLite(carried: number, characters: number): { credits: number; carry: number } {
	const units = carried + characters * UNITS_PER_CHARACTER;
	return { credits: Math.floor(units / UNITS_PER_CREDIT), carry: units % UNITS_PER_CREDIT };
}
