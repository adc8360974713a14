import type { Random } from '../../random';

// Taken out of the global object once: where jest runs this, each look-up of a global is slow.
const { sin, PI } = Math;

/** The level at a time in seconds; called once for each sample, in order. */
export type Wave = (t: number) => number;

/** All chance that shapes the sound is used up before the first sample; noise goes on. */
export type Effect = (random: Random, seconds: number) => Wave;

export const sine = (turns: number) => sin(2 * PI * turns);
