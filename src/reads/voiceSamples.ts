import { textOf, type Json } from '../api';
import type { Item, ItemOutput } from '../creation/item';
import { fail, ok, type Result } from '../base/result';
import { asText } from '../base/types';
import { fetchOnce, readableStem } from '../creation/outputs';
import type { StoredFile } from '../transport/host';

interface VoiceWithSample {
	voice: Json;
	files: StoredFile[];
}

/** A voice with its sample, or with a note of why there is none. Specification: PresetVoice. */
async function withSample(item: Item, voice: Json): Promise<VoiceWithSample> {
	const url = textOf(voice.sample_url);
	if (url === undefined) return { voice, files: [] };
	const id = asText(voice.id);
	// With all of its link: only the query may tell whose sample it is.
	const sample = await fetchOnce(item, `sample ${id} ${url}`, {
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

/** Downloads the samples of preset voices, so that they can be heard in the panel of the node. */
export async function withSamples(item: Item, voices: Json[]): Promise<Result<ItemOutput>> {
	const all = await Promise.all(voices.map(async (voice) => await withSample(item, voice)));
	if (item.host.channel.signal?.aborted) return fail({ kind: 'cancelled' });
	const resources = all.map(({ voice }) => voice);
	return ok({ resources, files: all.map(({ files }) => files) });
}
