/** Centre frequencies of the first three resonances of the mouth, in Hz. */
export type Formants = readonly [number, number, number];

export interface Phoneme {
	formants: Formants;
	/** Where a diphthong glides to. */
	glide?: Formants;
	/** At speed 1. */
	seconds: number;
	/** Levels of the voice, of breath through the mouth, and of friction at the teeth or lips. */
	voice: number;
	breath: number;
	friction: number;
	/** Hz; of the friction. */
	hiss: number;
	/** Silence before the burst of a stop. */
	closure: number;
	vowel: boolean;
}

const vowel = (formants: Formants, seconds: number, glide?: Formants): Phoneme => ({
	formants,
	glide,
	seconds,
	voice: 1,
	breath: 0,
	friction: 0,
	hiss: 4000,
	closure: 0,
	vowel: true,
});
const sonorant = (formants: Formants, seconds: number, voice = 0.6): Phoneme => ({
	...vowel(formants, seconds),
	voice,
	vowel: false,
});
const fricative = (hiss: number, friction: number, voice: number, formants: Formants): Phoneme => ({
	...sonorant(formants, 0.095, voice),
	friction,
	hiss,
});
const stop = (hiss: number, voice: number, formants: Formants): Phoneme => ({
	...sonorant(formants, voice > 0 ? 0.03 : 0.045, voice),
	friction: 0.5,
	hiss,
	breath: voice > 0 ? 0 : 0.35,
	closure: voice > 0 ? 0.045 : 0.06,
});

const FRONT: Formants = [270, 2290, 3010];
const BACK: Formants = [310, 870, 2240];

/** English, after Peterson and Barney's vowels and Klatt's consonants; names as in ARPABET. */
export const PHONEMES = {
	IY: vowel(FRONT, 0.13),
	IH: vowel([390, 1990, 2550], 0.09),
	EY: vowel([480, 2000, 2600], 0.15, [330, 2250, 2900]),
	EH: vowel([530, 1840, 2480], 0.11),
	AE: vowel([680, 1720, 2410], 0.14),
	AA: vowel([730, 1090, 2440], 0.15),
	AO: vowel([570, 840, 2410], 0.15),
	OW: vowel([540, 1000, 2400], 0.16, [360, 820, 2250]),
	UH: vowel([440, 1020, 2240], 0.1),
	UW: vowel(BACK, 0.14),
	AH: vowel([620, 1200, 2400], 0.09),
	ER: vowel([490, 1350, 1690], 0.14),
	AY: vowel([730, 1150, 2440], 0.19, [340, 2150, 2800]),
	AW: vowel([730, 1200, 2440], 0.19, [380, 900, 2300]),
	OY: vowel([550, 850, 2400], 0.2, [340, 2100, 2700]),
	M: sonorant([270, 950, 2200], 0.075, 0.45),
	N: sonorant([270, 1650, 2600], 0.07, 0.45),
	NG: sonorant([270, 2100, 2700], 0.085, 0.45),
	L: sonorant([360, 1100, 2700], 0.07),
	R: sonorant([400, 1250, 1600], 0.075),
	W: sonorant([300, 680, 2200], 0.07),
	Y: sonorant([280, 2200, 2950], 0.06),
	HH: { ...sonorant([550, 1500, 2500], 0.07, 0), breath: 0.6 },
	S: fricative(5600, 0.5, 0, [320, 1500, 2500]),
	Z: fricative(5400, 0.3, 0.4, [300, 1500, 2500]),
	SH: fricative(3000, 0.5, 0, [320, 1800, 2500]),
	ZH: fricative(2900, 0.3, 0.4, [300, 1800, 2500]),
	F: fricative(4600, 0.2, 0, [340, 1100, 2100]),
	V: fricative(4400, 0.12, 0.45, [300, 1100, 2100]),
	TH: fricative(5000, 0.17, 0, [320, 1300, 2500]),
	DH: fricative(4800, 0.1, 0.45, [290, 1300, 2500]),
	P: stop(900, 0, [350, 900, 2200]),
	B: stop(800, 0.5, [280, 900, 2200]),
	T: stop(4300, 0, [350, 1700, 2600]),
	D: stop(3900, 0.5, [280, 1700, 2600]),
	K: stop(1900, 0, [350, 1900, 2500]),
	G: stop(1700, 0.5, [280, 1900, 2500]),
} satisfies Record<string, Phoneme>;

export type PhonemeName = keyof typeof PHONEMES;
