import { clamp } from '../random';
import type { Media, MediaRequest } from '../types';
import { articulate } from './articulate';
import { fade } from './edges';
import { toSegments } from './prosody';
import { voiceOf } from './voice';
import { SAMPLE_RATE, toWav } from './wav';

/** Ten thousand characters would be a quarter of an hour. */
export const MAX_SPEECH_SECONDS = 120;
const BETWEEN_BLOCKS_SECONDS = 0.3;

/**
 * Says the words of the prompt, or of each block with its voice. The text decides how long it takes
 * (at most two minutes; the rest is left unsaid), divided by the speed (0.5 to 2).
 *
 * @param mostSeconds of all blocks together
 */
export async function renderSpeech(
	request: MediaRequest,
	mostSeconds = MAX_SPEECH_SECONDS,
): Promise<Media> {
	const speed = clamp(request.speed, 0.5, 2, 1);
	const blocks = request.blocks?.length ? request.blocks : [{ text: request.prompt }];
	const parts: Float32Array[] = [];
	let room = mostSeconds;
	for (const [i, block] of blocks.entries()) {
		const voice = voiceOf(block.voice ?? request.voice);
		const liveliness = { seed: `${request.seed}:${request.index}:${i}`, speed, seconds: room };
		const said = await articulate(toSegments(block.text, voice, liveliness), voice);
		parts.push(said);
		room -= said.length / SAMPLE_RATE + BETWEEN_BLOCKS_SECONDS;
		if (room <= 0) break;
	}
	return toWav(fade(join(parts), 0.005, 0.03), request.volume);
}

function join(parts: Float32Array[]): Float32Array {
	const pause = Math.round(BETWEEN_BLOCKS_SECONDS * SAMPLE_RATE);
	const length = parts.reduce((sum, part) => sum + part.length, pause * (parts.length - 1));
	const whole = new Float32Array(length);
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length + pause;
	}
	return whole;
}
