import { STATED_PRICES, type SpeechModel } from '../../contract';

/** The model that is metered by completed characters. Specification: Limits, Credit rules. */
export const METERED_MODEL: SpeechModel = 'service/speech-lite';

/** Shares of a credit are counted in millionths, so that nothing is ever rounded away. */
const UNITS_PER_CREDIT = 1_000_000;
const UNITS_PER_CHARACTER = STATED_PRICES.speechLitePerMillionCharacters;

/**
 * The most that this many characters of lite speech can cost, whatever was carried over before: the
 * temporary reservation. Specification: Limits, Credit rules.
 */
export function liteReservation(characters: number): number {
	return Math.ceil((characters * UNITS_PER_CHARACTER) / UNITS_PER_CREDIT);
}

/**
 * Meters completed characters of lite speech: short requests accumulate toward the next credit.
 * `carried` and the answer's `carry` are millionths of a credit, below one credit.
 */
export function meterLite(carried: number, characters: number): { credits: number; carry: number } {
	const units = carried + characters * UNITS_PER_CHARACTER;
	return { credits: Math.floor(units / UNITS_PER_CREDIT), carry: units % UNITS_PER_CREDIT };
}
