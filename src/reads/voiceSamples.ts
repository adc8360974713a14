import { textOf, type Json } from '../api';
import type { Item, Outcome } from '../creation/item';
import { fail, ok, type Result } from '../base/result';
import { asText } from '../base/types';
import { download } from '../files/down';
import { readableStem } from '../files/names';
import type { StoredFile } from '../transport/host';

interface VoiceWithSample {
	voice: Json;
	files: StoredFile[];
}

/** A voice with its sample. One that cannot be had is a note of its row. Specification: PresetVoice. */
async function withSample({ host, workspace }: Item, voice: Json): Promise<VoiceWithSample> {
	const url = textOf(voice.sample_url);
	if (url === undefined) return { voice, files: [] };
	const id = asText(voice.id);
	const sample = await download(host, workspace, {
		id,
		url,
		stem: readableStem(asText(voice.label), 'voice', id),
		renew: async () => await Promise.resolve(undefined),
	});
	if (sample.ok) return { voice, files: [sample.value] };
	const { failure } = sample;
	const problem = failure.kind === 'download' ? failure.problem : failure.kind;
	return {
		voice: { ...voice, warning: `The sample could not be downloaded: ${problem}` },
		files: [],
	};
}

/** Preset voices with their samples, so that they are heard in the panel. */
export async function withSamples(item: Item, voices: Json[]): Promise<Result<Outcome>> {
	const all = await Promise.all(voices.map(async (voice) => await withSample(item, voice)));
	if (item.host.channel.signal?.aborted) return fail({ kind: 'cancelled' });
	const resources = all.map(({ voice }) => voice);
	return ok({ resources, files: all.map(({ files }) => files) });
}
