import { yieldToEventLoop } from '../yieldToEventLoop';
import { clamp, randomFrom } from '../random';
import type { Media, MediaRequest } from '../types';
import { fade, foldIntoLoop } from './edges';
import { chooseEffect } from './effects';
import { SAMPLE_RATE, toWav } from './wav';

const DEFAULT_SECONDS = 2.5;
const MAX_SECONDS = 30;

/** As long as asked, 0.2 to 30 seconds. */
export function sfxSeconds({ durationSeconds }: Pick<MediaRequest, 'durationSeconds'>): number {
	return clamp(durationSeconds, 0.2, MAX_SECONDS, DEFAULT_SECONDS);
}

/** A sound that the prompt's words call for. */
export async function renderSfx(request: MediaRequest): Promise<Media> {
	const seconds = sfxSeconds(request);
	const length = Math.round(seconds * SAMPLE_RATE);
	const overlap = request.loop ? Math.round(Math.min(0.5, seconds / 2) * SAMPLE_RATE) : 0;
	const samples = new Float32Array(length + overlap);
	const random = randomFrom('sfx', request.prompt, request.seed, request.index);
	const wave = chooseEffect(request.prompt, random)(random, seconds);
	const yieldNow = yieldToEventLoop();
	for (let i = 0; i < samples.length; i++) {
		samples[i] = wave(i / SAMPLE_RATE);
		if (i % 2048 === 0) await yieldNow();
	}
	if (request.loop) return toWav(foldIntoLoop(samples, length), request.volume);
	return toWav(fade(samples, 0.004, Math.min(0.25, seconds * 0.2)), request.volume);
}
