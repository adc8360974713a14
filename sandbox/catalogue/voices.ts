import type { SpeechModel } from '../../src/api';

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
	['Giulia', 'female', 'it-IT', 'Italian (Italy)'],
	['Sem', 'male', 'nl-NL', 'Dutch (Netherlands)'],
];

const ROWS: Record<SpeechModel, { rows: Row[]; suffix: string }> = {
	'service/speech-lite': { rows: LITE, suffix: 'Lite' },
	'vendor/partner/speech-2.8-turbo': { rows: TURBO, suffix: 'Turbo' },
};

/**
 * The whole preset catalogue of a speech model: its rows, and where more voices are wanted than
 * there are rows, the same people with a number. Specification: PresetVoice.
 */
export function presetVoices(model: SpeechModel, count: number, origin = '') {
	const { rows, suffix } = ROWS[model];
	return Array.from({ length: count }, (_, at) => {
		const [person, gender, locale, language, styles = []] = rows[at % rows.length]!;
		const round = Math.floor(at / rows.length);
		const name = round === 0 ? person : `${person} ${round + 1}`;
		const id = `${locale}-${name.replace(' ', '')}${suffix}`;
		return {
			id,
			label: `${name} (${language})`,
			name,
			gender,
			language_code: locale,
			language_name: language,
			is_neural: true,
			sample_url: `${origin}/samples/${id}.wav`,
			styles,
		};
	});
}

export type PresetVoice = ReturnType<typeof presetVoices>[number];
