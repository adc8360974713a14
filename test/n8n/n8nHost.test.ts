/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { IExecuteSingleFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { Readable } from 'stream';
import { TOO_DEEP, TOO_LONG } from '../../src/base/values';
import { n8nHost, readBody } from '../../src/n8n/n8nHost';
import { accessTo, nodeContext, nodeRun, type NodeRun } from '../support/nodeContext';

const NEVER = new AbortController().signal;

/** What a host needs of n8n. */
const itemContext = (context: IExecuteSingleFunctions) => ({
	functions: context,
	files: () => context.getInputData().binary ?? {},
	signal: context.getExecutionCancelSignal(),
	fairnessKey: 'execution 1',
	timeoutMs: Number(context.getNodeParameter('requestOptions.timeout', 0)),
});

const FILE = { size: 3, open: async () => Buffer.from('cat') };

const KEY = 'canary-key-123';
const ACCESS = accessTo('https://api.example/v1', KEY);

const full = (statusCode: number, body: unknown = {}, headers: Record<string, unknown> = {}) => ({
	statusCode,
	body,
	headers,
});

/**
 * A host whose requests are kept and answered with the one given. What really goes over the wire: test/wire.
 */
function hostOf(answered: unknown, run: Partial<NodeRun> = {}) {
	const asked: IHttpRequestOptions[] = [];
	const request: NodeRun['request'] = async (options) => {
		asked.push(options);
		if (answered instanceof Error) throw answered;
		return answered;
	};
	const host = n8nHost(itemContext(nodeContext(nodeRun({ request, ...run }))), ACCESS);
	return { host, asked };
}

test('a response that stalls in the middle of its body is lost at the deadline', async () => {
	// Such as one that does not notice.
	const stuck = new Readable({ read() {}, destroy() {} });
	const parameters = () => ({ requestOptions: { timeout: 50 } });
	const { host } = hostOf(full(200, stuck), { parameters });
	expect(await host.channel.send({ method: 'GET', path: '/credits' })).toEqual({
		noResponse: 'timeout',
	});
	expect(stuck.destroyed).toBe(true);
});

test('bodies that say the same are the same bytes', async () => {
	const { host, asked } = hostOf(full(200, {}));
	const bodies = [
		{ prompt: 'a', parameters: { count: 1, size: 's' }, blocks: [{ text: 'b', voice: 'v' }] },
		{ blocks: [{ voice: 'v', text: 'b' }], parameters: { size: 's', count: 1 }, prompt: 'a' },
	];
	for (const body of bodies)
		await host.channel.send({ method: 'POST', path: '/generations', body });
	expect(JSON.parse(String(asked[0]?.body))).toEqual(bodies[0]);
	expect(asked[1]?.body).toBe(asked[0]?.body);
});

test('a download can be closed, however far it got, and the answer of an upload always is', async () => {
	const stuck = () => new Readable({ read() {}, destroy() {} });
	const download = hostOf(full(200, stuck()));
	const answered = await download.host.get('https://media.example/x', NEVER);
	if ('noResponse' in answered) throw new Error(answered.noResponse);
	const signal = download.asked[0]?.abortSignal;
	expect(signal?.aborted).toBe(false);
	answered.close();
	answered.close();
	expect([signal?.aborted, (answered.body as Readable).destroyed]).toEqual([true, true]);

	const body = stuck();
	const { host, asked } = hostOf(full(200, body));
	await host.put('https://put.example/x', {}, FILE, NEVER);
	expect(body.destroyed).toBe(true);
	expect(asked[0]).toMatchObject({ encoding: 'stream' });
});

test('what n8n stores is given up when its time is over', async () => {
	const end = new AbortController();
	const context = nodeContext(nodeRun({}));
	context.helpers.prepareBinaryData = async () => await new Promise(() => {});
	const host = n8nHost(itemContext(context), ACCESS);
	const storing = host.store(Readable.from(['cat']), 'cat.png', 'image/png', end.signal);
	end.abort(new Error('over'));
	await expect(storing).rejects.toThrow('over');
});

test('what fails before the key is on the request was never sent, and keeps its message', async () => {
	const { host, asked } = hostOf(full(200), {
		authenticate: () => {
			throw new Error(`Cannot resolve ${KEY}`);
		},
	});
	const lost = await host.channel.send({ method: 'POST', path: '/generations' });
	expect(lost).toEqual({ noResponse: 'Cannot resolve ***', unsent: 'local' });
	expect(asked).toEqual([]);
});

test.each([
	['none of the user', 0, 120_000],
	['one of the user', 2_500.4, 2_501],
	['longer than a timer lasts, which would end every request at once', 3e9, 2 ** 31 - 1],
])('the time limit of a request: %s', async (_, timeout, used) => {
	const { host, asked } = hostOf(full(200), {
		parameters: () => ({ requestOptions: { timeout } }),
	});
	expect(await host.channel.send({ method: 'GET', path: '/x' })).toMatchObject({ status: 200 });
	expect(asked.map((options) => options.timeout)).toEqual([used]);
});

test('a binary field is opened as a whole from memory, and as a stream from disk', async () => {
	const data = Buffer.from('cat').toString('base64');
	const binary = {
		inMemory: { data, mimeType: 'image/png', fileName: 'cat.png' },
		onDisk: { data: 'filesystem', id: 'filesystem-v2:1', mimeType: 'image/png' },
	};
	const { host } = hostOf(full(200), { items: [{ json: {}, binary }] });
	const [inMemory, onDisk] = [await host.binary('inMemory'), await host.binary('onDisk')];
	expect(inMemory).toMatchObject({ fileName: 'cat.png', mimeType: 'image/png' });
	expect(await inMemory?.open()).toEqual(Buffer.from('cat'));
	expect(onDisk).toMatchObject({ fileName: '', id: 'filesystem-v2:1' });
	expect(await onDisk?.open()).toBe('filesystem-v2:1');
	for (const none of ['other', 'constructor']) expect(await host.binary(none)).toBeUndefined();
});

const BOM = Buffer.from('\ufeff');
const SMILE = Buffer.from('"😀"');

test.each([
	['JSON in pieces', ['{"id"', ': "ä"}'], { id: 'ä' }],
	['text that is not JSON', ['<html>'], '<html>'],
	['nothing', [], ''],
	['JSON after a byte order mark', [BOM.subarray(0, 2), BOM.subarray(2), '{}'], {}],
	['a character that is cut in two', [SMILE.subarray(0, 3), SMILE.subarray(3)], '😀'],
])('what is read of a body: %s', async (_name, chunks, value) => {
	const body = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
	expect(await readBody(body, NEVER)).toEqual(value);
});

test('an endless body is not read to its end', async () => {
	let given = 0;
	const piece = Buffer.alloc(1024 * 1024);
	const endless = new Readable({
		read() {
			given += 1;
			this.push(piece);
		},
	});
	expect(await readBody(endless, NEVER)).toBe(TOO_LONG);
	expect(given).toBeLessThan(64);
	expect(endless.destroyed).toBe(true);
});

test.each(['[', '{"a":'])('a body of 100,000 times %s is not walked through', async (opener) => {
	const closer = opener === '[' ? ']' : '}';
	const nested = (depth: number) => `${opener.repeat(depth)}1${closer.repeat(depth)}`;
	const body = (depth: number) => Readable.from([Buffer.from(nested(depth))]);
	expect(await readBody(body(100_000), NEVER)).toBe(TOO_DEEP);
	expect(await readBody(body(100), NEVER)).toEqual(JSON.parse(nested(100)));
});
