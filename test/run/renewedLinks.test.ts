/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { IHttpRequestOptions, INodeExecutionData } from 'n8n-workflow';
import { Readable } from 'stream';
import type { VirtualClock } from '../model/virtualClock';
import { locator, setUp } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => {
	const { VirtualClock: Clock } = jest.requireActual<{ VirtualClock: typeof VirtualClock }>(
		'../model/virtualClock',
	);
	return { systemClock: new Clock() };
});

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

const output = (id: string | undefined, link: string) => ({
	...(id !== undefined && { id }),
	url: `https://media.example/${link}.png`,
	media_type: 'image/png',
});

/** A run whose job shows these outputs in each read, the last ones from then on. Links called `old` have expired. */
async function filesOf(...shown: object[][]): Promise<string[]> {
	let reads = 0;
	const request = async ({ baseURL, url, method }: IHttpRequestOptions): Promise<unknown> => {
		if (!baseURL && url.includes('old'))
			return { statusCode: 403, headers: {}, body: Readable.from([Buffer.from('expired')]) };
		if (!baseURL) {
			const bytes = Buffer.concat([PNG, Buffer.from(url)]);
			const headers = { 'content-length': bytes.length };
			return { statusCode: 200, headers, body: Readable.from([bytes]) };
		}
		const job = { id: 'gen_1', object: 'generation', mode: 'image', model: 'm' };
		if (method === 'POST')
			return { statusCode: 202, headers: {}, body: { ...job, status: 'queued' } };
		if (url === '/generations')
			return { statusCode: 200, headers: {}, body: { object: 'list', data: [] } };
		const outputs = shown[Math.min(reads, shown.length - 1)];
		reads += 1;
		return { statusCode: 200, headers: {}, body: { ...job, status: 'completed', outputs } };
	};
	const given = { model: locator('m'), prompt: 'a', downloadOutputs: true };
	const items: INodeExecutionData[] = await setUp({ given }).run({ request: request as never });
	return items
		.flatMap(({ binary = {} }) => Object.values(binary))
		.map(({ data }) => Buffer.from(data, 'base64').subarray(16).toString());
}

test('a link is renewed for the same output, in whatever order the job shows them then', async () => {
	const first = [output('a', 'a-new'), output('b', 'b-old')];
	expect(await filesOf(first, [output('b', 'b-new'), output('a', 'a-new')])).toEqual([
		'https://media.example/a-new.png',
		'https://media.example/b-new.png',
	]);
});

test('by its place where outputs have no ids, unless there are fewer of them', async () => {
	const first = [output(undefined, 'a-new'), output(undefined, 'b-old')];
	const all = [output(undefined, 'a-new'), output(undefined, 'b-new')];
	expect((await filesOf(first, all))[1]).toBe('https://media.example/b-new.png');
	await expect(filesOf(first, [output(undefined, 'b-new')])).rejects.toThrow();
});
