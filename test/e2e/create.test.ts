import { runOurs, sandbox, rest } from './support/harness';
import { createParameters, download, sniff } from './support/media';

beforeEach(async () => await sandbox.reset());

describe('create, wait and download', () => {
	it.each([
		['image', 'studio/image-1', 'image/png', 'png'],
		['video', 'studio/video-1', 'video/mp4', 'mp4'],
		['audio', 'studio/music-1', 'audio/wav', 'wav'],
		['audio', 'service/speech-lite', 'audio/wav', 'wav'],
	])('gives a playable %s file of %s with its name and type', async (mode, model, type, extension) => {
		const run = await runOurs({
			node: 'mediaGenGeneration',
			parameters: createParameters({ mode, model, prompt: 'A lighthouse at dawn' }),
		});
		expect(run.error).toBeUndefined();
		expect(run.items).toHaveLength(1);
		const [item] = run.items;
		expect(item?.json).toMatchObject({ object: 'generation', status: 'completed', mode, model });
		expect(item?.pairedItem).toEqual({ item: 0 });
		const data = item?.binary.data;
		expect(data).toMatchObject({ mimeType: type, fileExtension: extension });
		expect(data?.fileName).toBe(`${String(item?.json.id)}.${extension}`);
		const file = await download(rest, data);
		expect(sniff(file)).toBe(type);
	});
});
