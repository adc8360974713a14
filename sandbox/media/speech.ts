/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { createHash } from 'crypto';
import execa from 'execa';
import { mkdtemp, readFile, rm } from 'fs/promises';
import { tmpdir } from 'os';
import { join } from 'path';

import { asset } from '../assets';
import type { Media, MediaRequest } from './types';
import { samplesOf, silence, toWav } from './audio';

/** In a process of its own: the synthesizer would hold up all requests while it speaks. */
const SPEAK = asset('media', 'speak.mjs');
/** Of all blocks together. */
const MOST_CHARACTERS = 2_000;
const PAUSE_SECONDS = 0.3;
/**
 * The synthesizer's own voices, of which the first is a woman's, and the pitches in Hz at which each is
 * spoken.
 */
const VOICES = ['slt', 'rms', 'awb', 'kal16'];
const PITCHES: Record<string, number[]> = { slt: [160, 185, 215], rms: [85, 100, 115] };

/** Says the words of the prompt, or of each block with its voice, one after the other. */
export async function renderSpeech(request: MediaRequest): Promise<Media> {
	const blocks = request.blocks?.length ? request.blocks : [{ text: request.prompt }];
	const { speed = 1, seed, index } = request;
	const stretch = setting('duration_stretch', 1 / Math.min(2, Math.max(0.5, speed)));
	const most = Math.ceil(MOST_CHARACTERS / blocks.length);
	const calls = blocks.map(({ text, voice = request.voice ?? `${seed} ${index}` }) =>
		phrases(text.slice(0, most)).map((words) => [...voiceOf(voice), ...stretch, '-t', words]),
	);
	const spoken = await synthesize(calls.flat());
	const samples: number[] = [];
	for (const [at, { length }] of calls.entries()) {
		if (at > 0) samples.push(...silence(PAUSE_SECONDS));
		for (const part of spoken.splice(0, length)) for (const each of part) samples.push(each);
	}
	return toWav(samples, request.volume);
}

/** The samples of each call of Flite. */
async function synthesize(calls: string[][]): Promise<Float64Array[]> {
	const directory = await mkdtemp(join(tmpdir(), 'mediagen-speech-'));
	try {
		const all = JSON.stringify(calls.map((call, at) => [...call, '-o', `/${at}.wav`]));
		await execa(process.execPath, ['--no-warnings', SPEAK, directory, all]);
		const files = calls.map(async (_, at) => await readFile(join(directory, `${at}.wav`)));
		return (await Promise.all(files)).map(samplesOf);
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}

/**
 * A text in parts that Flite can say. It reads English letters, so that other letters become a
 * syllable each, and is overwhelmed by endless words and sentences.
 */
function phrases(text: string): string[] {
	const plain = text.normalize('NFKD').replace(/\p{M}/gu, '');
	const words = plain.replace(/[^\x20-\x7e]/gu, (letter) => (/\p{L}/u.test(letter) ? ' la ' : ' '));
	const parts = words.replace(/\S{25}/g, '$& ').match(/\S.{0,180}(?!\S)/g) ?? [];
	const spoken = parts.filter((part) => /[a-z0-9]/i.test(part));
	return spoken.length > 0 ? spoken : ['la'];
}

/** The same id always sounds the same; one that begins with a gender is of it. */
function voiceOf(id: string): string[] {
	const digest = createHash('sha256').update(id).digest();
	const pick = <T>(list: T[], at: number) => list[(digest[at] ?? 0) % list.length];
	const voice = pick(voicesFor(id), 0) ?? 'slt';
	const pitch = pick(PITCHES[voice] ?? [], 1);
	return ['-voice', voice, ...(pitch ? setting('int_f0_target_mean', pitch) : [])];
}

function voicesFor(id: string): string[] {
	if (id.startsWith('female ')) return VOICES.slice(0, 1);
	if (id.startsWith('male ')) return VOICES.slice(1);
	return VOICES;
}

const setting = (name: string, value: number) => ['--setf', `${name}=${value}`];
