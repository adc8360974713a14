/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { Readable } from 'stream';
import { resources } from '../../nodes/Voice/operations';
import { runItem } from '../../src/n8n/runOperation';
import { goodRows } from '../../src/n8n/output/rows';
import type { NodeMemory } from '../../src/creation/idempotency/itemState';
import type { Host, StreamedResponse } from '../../src/transport/host';
import { MEDIA } from '../files/support/media';
import { answer } from '../model/answers';
import { hostWith, runOf, workspaceWith, type RunParts } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const [getAll] = resources.find(({ value }) => value === 'presetVoice')?.operations ?? [];

const sampleOf = (name: string) => `https://samples.example/${name}`;

const voice = (id: string, sample: string | null = sampleOf(id)) => ({
	id,
	label: `The ${id}`,
	is_neural: true,
	sample_url: sample,
});

const answered = (status: number, body: Buffer): StreamedResponse => ({
	status,
	headers: { 'content-type': 'audio/wav' },
	body: Readable.from([body]),
	close: () => {},
});

/** What stands at the address of a sample, by the last part of it. */
const SAMPLES: Record<string, () => StreamedResponse> = {
	ava: () => answered(200, MEDIA.wav),
	page: () => answered(200, Buffer.from('<!doctype html><html><body>Sign in</body></html>')),
	gone: () => answered(404, Buffer.from('no')),
};

async function rowsOfVoices(voices: object[], settings = {}, more: Partial<RunParts> = {}) {
	const clock = new VirtualClock();
	const host: Partial<Host> = {
		get: async (url) => SAMPLES[url.split('/').at(-1) ?? '']?.() ?? { noResponse: 'ECONNRESET' },
		store: async (body, fileName, mimeType) => {
			for await (const piece of body as Readable) void piece;
			return { data: '', fileName, mimeType };
		},
	};
	const item = runOf({
		host: hostWith(async () => answer(200, { object: 'list', data: voices }), host),
		workspace: workspaceWith(clock),
		spec: getAll!.spec,
		request: { method: 'GET', path: '/voices/catalog' },
		settings: { downloadOutputs: true, ...settings },
		...more,
	});
	const result = await clock.run(runItem(item));
	if (!result.ok) throw new Error(JSON.stringify(result));
	return goodRows({}, { index: 0, json: {} }, item, result.value);
}

test('each preset voice has its sample, of the type that its bytes have', async () => {
	const rows = await rowsOfVoices([voice('mute', null), voice('ava')]);
	expect(rows.map(({ json }) => json.id)).toEqual(['mute', 'ava']);
	expect(rows.map(({ json }) => json.warning)).toEqual([undefined, undefined]);
	const fileName = 'the-ava-ava.wav';
	expect(rows.map(({ binary }) => binary)).toEqual([
		undefined,
		{ data: { data: '', fileName, mimeType: 'audio/wav' } },
	]);
});

test.each(['page', 'gone', 'lost'])(
	'a sample that cannot be had (%s) is a note of its row, also of a simplified one, and the others are there',
	async (bad) => {
		for (const simplify of [false, true]) {
			const rows = await rowsOfVoices([voice(bad), voice('ava')], { simplify });
			const [noted, whole] = rows;
			expect(noted?.json.warning).toMatch(/^The sample could not be downloaded: \S/);
			expect(noted?.binary).toBeUndefined();
			expect(whole?.binary?.data).toMatchObject({ mimeType: 'audio/wav' });
			expect('is_neural' in (whole?.json ?? {})).toBe(!simplify);
		}
	},
);

test('a sample that an execution has is not fetched again when the node is tried again', async () => {
	const nodeMemory: NodeMemory = { runId: 'a run', items: {} };
	const first = await rowsOfVoices([voice('ava')], {}, { nodeMemory });
	SAMPLES.ava = SAMPLES.gone!;
	expect(await rowsOfVoices([voice('ava')], {}, { nodeMemory })).toEqual(first);
});

test('voices whose samples differ only in the query of their links have a file each', async () => {
	const heard = ['ava', 'ben'].map((id) => voice(id, `https://samples.example/say?voice=${id}`));
	SAMPLES['say?voice=ava'] = SAMPLES['say?voice=ben'] = () => answered(200, MEDIA.wav);
	const rows = await rowsOfVoices(heard);
	expect(rows.map(({ binary }) => binary?.data?.fileName)).toEqual([
		'the-ava-ava.wav',
		'the-ben-ben.wav',
	]);
});

test('without the option no sample is fetched', async () => {
	const rows = await rowsOfVoices([voice('ava')], { downloadOutputs: false });
	expect(rows.map(({ binary }) => binary)).toEqual([undefined]);
});
