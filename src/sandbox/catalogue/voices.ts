import type { PresetVoice, SpeechModel } from '../../contract';

type Row = [
	name: string,
	gender: string | null,
	locale: string,
	language: string,
	styles?: string[],
];

/**
 * The preset voices are fiction; the two models share none, so that a voice of the wrong model
 * shows.
 */
const LITE: Row[] = [
	['Ava', 'female', 'en-US', 'English (United States)', ['calm', 'news']],
	['Noah', 'male', 'en-US', 'English (United States)', ['cheerful', 'narration']],
	['Isla', 'female', 'en-GB', 'English (United Kingdom)', ['narration']],
	['Arthur', 'male', 'en-GB', 'English (United Kingdom)'],
	['Lena', 'female', 'de-DE', 'German (Germany)', ['calm']],
	['Jonas', 'male', 'de-DE', 'German (Germany)'],
	['Camille', 'female', 'fr-FR', 'French (France)', ['cheerful']],
	['Hugo', 'male', 'fr-FR', 'French (France)'],
	['Lucia', 'female', 'es-ES', 'Spanish (Spain)'],
	['Mateo', 'male', 'es-MX', 'Spanish (Mexico)'],
	['Yuki', 'female', 'ja-JP', 'Japanese (Japan)', ['calm']],
	['Wei', null, 'zh-CN', 'Chinese (Mainland)'],
];

const TURBO: Row[] = [
	['Marin', 'female', 'en-US', 'English (United States)', ['expressive', 'whisper']],
	['Cole', 'male', 'en-US', 'English (United States)', ['expressive']],
	['Priya', 'female', 'en-IN', 'English (India)'],
	['Ewan', 'male', 'en-GB', 'English (United Kingdom)', ['audiobook']],
	['Frieda', 'female', 'de-DE', 'German (Germany)', ['audiobook']],
	['Moritz', 'male', 'de-AT', 'German (Austria)'],
	['Elise', 'female', 'fr-FR', 'French (France)'],
	['Theo', 'male', 'fr-CA', 'French (Canada)'],
	['Bianca', 'female', 'pt-BR', 'Portuguese (Brazil)'],
	['Sora', null, 'ko-KR', 'Korean (South Korea)', ['expressive']],
];

const entry = (suffix: string, [name, gender, locale, language, styles]: Row): PresetVoice => ({
	id: `${locale}-${name}${suffix}`,
	label: `${name} (${language})`,
	name,
	gender,
	language_code: locale,
	language_name: language,
	is_neural: true,
	sample_url: null,
	styles: styles ?? [],
});

/** The whole preset catalogue of each speech model. Specification: PresetVoice. */
export const PRESET_VOICES: Record<SpeechModel, PresetVoice[]> = {
	'service/speech-lite': LITE.map((row) => entry('Lite', row)),
	'vendor/partner/speech-2.8-turbo': TURBO.map((row) => entry('Turbo', row)),
};
