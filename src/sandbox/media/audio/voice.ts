import { randomFrom } from '../random';

export interface Voice {
	/** Hz, of a calm sentence's middle. */
	pitch: number;
	/** Factor on the formants: a short throat makes them higher. */
	tract: number;
	/** Share of breath in the voice. */
	breath: number;
}

/** Any id, none too, to a voice of its own: from a deep man's to a child's. */
export function voiceOf(id: string | undefined): Voice {
	const random = randomFrom('voice', id ?? '');
	const height = random();
	return {
		pitch: 88 * Math.pow(2.9, height),
		tract: 0.94 + 0.24 * height + 0.06 * (random() - 0.5),
		breath: 0.03 + 0.12 * random(),
	};
}
