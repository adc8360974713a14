import { readExamples, withCredential } from '../../lab/demo/examples';
import { credentials, rest, sandbox } from './support/harness';
import { download, sniff } from './support/media';

it('the example of a whole production runs: persona, image, video, cloned voice, speech, usage', async () => {
	await sandbox.reset();
	const example = readExamples().find(({ name }) => name.includes('production'));
	if (!example) throw new Error('The example is not there');
	const { id } = await rest.workflows.create(withCredential(example, credentials.full));
	const executionId = await rest.workflows.run(id, 'Start');
	const execution = await rest.executions.wait(executionId, { timeoutMs: 110_000 });
	const { runData, error } = execution.data.resultData;
	expect(error).toBeUndefined();
	const itemsOf = (name: string) => runData[name]?.at(-1)?.data?.main?.[0] ?? [];

	expect(itemsOf('Upload')).toHaveLength(3);
	const [persona] = itemsOf('Persona');
	expect(persona?.json).toMatchObject({ object: 'persona', status: 'ready' });
	const urls = itemsOf('Upload').map(({ json }) => json.url);
	const [voice] = itemsOf('Cloned Voice');
	const sent = (await sandbox.requests()).filter(({ method }) => method === 'POST');
	const bodyOf = (operation: string, text: string) =>
		sent.find((one) => one.operation === operation && JSON.stringify(one.body).includes(text))
			?.body;
	expect(bodyOf('createPersona', 'Mara')).toMatchObject({ reference_images: urls });
	expect(bodyOf('createGeneration', 'helm')).toMatchObject({ persona_id: persona?.json.id });
	expect(bodyOf('createSpeech', 'storm')).toMatchObject({
		blocks: [{ voice: voice?.json.id }, { voice: voice?.json.id }],
		settings: { speed: 0.9 },
	});
	expect(sniff(await download(rest, itemsOf('Film')[0]?.binary?.data))).toBe('video/mp4');
	expect(sniff(await download(rest, itemsOf('Story')[0]?.binary?.data))).toBe('audio/wav');
	expect(itemsOf('Usage')).toHaveLength(1);
	const { data } = itemsOf('Usage')[0]?.json as { data: Array<{ mode: string }> };
	expect(data.map(({ mode }) => mode)).toEqual(expect.arrayContaining(['image', 'video', 'audio']));
});
