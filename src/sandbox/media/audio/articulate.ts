import { yieldToEventLoop } from '../yieldToEventLoop';
import { randomFrom } from '../random';
import { Resonator } from './filter';
import type { Phoneme } from './phonemes';
import type { Voice } from './voice';
import { SAMPLE_RATE } from './wav';
import { elementAt } from '../../elementAt';

// Taken out of the global object once: where jest runs this, each look-up of a global is slow.
const { sin, exp } = Math;

/** A phoneme (none is a pause) as it is to be said. */
export interface Segment {
	phoneme?: Phoneme;
	/** Without the closure of a stop. */
	seconds: number;
	/** Hz. */
	pitch: number;
}

/** Filters are tuned this often: the ear hears no steps of 1.5 ms. */
const TUNE_EVERY = 32;
const OPEN_SHARE = 0.62;
/** How much of the bass of the voice is taken away; without this it sounds as through a wall. */
const BRIGHTNESS = 0.85;
/** The ranges over which formants and levels move from one phoneme to the next. */
const FORMANT_SECONDS = 0.018;
const LEVEL_SECONDS = 0.007;
const PITCH_SECONDS = 0.04;

/**
 * Says the segments with a voice: a pulse train and noise through four resonances in a row, and
 * friction beside them (Klatt, "Software for a cascade/parallel formant synthesizer", 1980, cut
 * down to what a sandbox needs).
 */
export async function articulate(segments: Segment[], voice: Voice): Promise<Float32Array> {
	const steps = segments.flatMap(toSteps);
	const output = new Float32Array(steps.reduce((sum, { length }) => sum + length, 0));
	const random = randomFrom('breath', voice.pitch);
	/** One resonance for each formant, and one above them. */
	const formants = REST.map((frequency) => ({ frequency, resonator: new Resonator() }));
	const top = new Resonator();
	const teeth = new Resonator();
	const toward = (seconds: number) => 1 - exp(-TUNE_EVERY / SAMPLE_RATE / seconds);
	const formantShare = toward(FORMANT_SECONDS);
	const levelShare = toward(LEVEL_SECONDS);
	const pitchShare = toward(PITCH_SECONDS);
	const now = {
		voice: 0,
		breath: 0,
		friction: 0,
		pitch: steps[0]?.pitch ?? 100,
	};
	const yieldNow = yieldToEventLoop();
	let at = 0;
	let turn = 0;
	let lastFlow = 0;
	for (const step of steps) {
		for (let i = 0; i < step.length; i++, at++) {
			if (i % TUNE_EVERY === 0) {
				const share = i / step.length;
				formants.forEach((formant, k) => {
					const from = elementAt(step.from, k);
					const target = (from + (elementAt(step.to, k) - from) * share) * voice.tract;
					formant.frequency += (target - formant.frequency) * formantShare;
					formant.resonator.tune(formant.frequency, 60 + 35 * k);
				});
				top.tune(3500 * voice.tract, 220);
				teeth.tune(step.hiss, step.hiss * 0.28);
				now.voice += (step.voice - now.voice) * levelShare;
				now.breath += (step.breath + step.voice * voice.breath - now.breath) * levelShare;
				now.friction += (step.friction - now.friction) * levelShare;
				now.pitch += (step.pitch - now.pitch) * pitchShare;
				await yieldNow();
			}
			turn = (turn + (now.pitch * (1 + 0.006 * sin(at * 0.0016))) / SAMPLE_RATE) % 1;
			const noise = random() * 2 - 1;
			const flow = glottis(turn);
			let sound = now.voice * (flow - BRIGHTNESS * lastFlow) * 2.2 + now.breath * noise * 0.35;
			lastFlow = flow;
			for (const { resonator } of formants) sound = resonator.run(sound);
			sound = top.run(sound);
			output[at] = sound + now.friction * 0.26 * teeth.run(noise);
		}
	}
	return output;
}

/** The derivative of the air that passes the vocal cords, over one turn: open, then shut. */
function glottis(turn: number): number {
	const share = turn / OPEN_SHARE;
	return share < 1 ? 2 * share - 3 * share * share : 0;
}

interface Step {
	/** Samples. */
	length: number;
	from: readonly number[];
	to: readonly number[];
	voice: number;
	breath: number;
	friction: number;
	hiss: number;
	pitch: number;
}

const SILENT = { voice: 0, breath: 0, friction: 0, hiss: 4000 };
const REST = [500, 1500, 2500];

function toSteps({ phoneme, seconds, pitch }: Segment): Step[] {
	const samples = (length: number) => Math.max(1, Math.round(length * SAMPLE_RATE));
	if (!phoneme) return [{ ...SILENT, length: samples(seconds), from: REST, to: REST, pitch }];
	const { formants: from, glide: to = from, voice, breath, friction, hiss, closure } = phoneme;
	const sounding = { length: samples(seconds), from, to, voice, breath, friction, hiss, pitch };
	if (closure === 0) return [sounding];
	return [{ ...SILENT, length: samples(closure), from, to, pitch, voice: voice * 0.15 }, sounding];
}
