/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { Readable } from 'stream';
import { readFile } from '../../src/files/localFile';
import { sourceWith } from '../model/run';

const stuck = () => new Readable({ read() {} });
const turn = (signal?: AbortSignal) => ({ fairnessKey: 'execution', signal });

test('a stop ends the read of files that n8n’s storage keeps back, and others get their turn', async () => {
	const stop = new AbortController();
	// Such as an S3 behind a firewall that drops packets: neither goes on nor ends.
	const streams = Array.from({ length: 5 }, stuck);
	const files = streams.map(
		async (stream) => await readFile(sourceWith({ open: async () => stream }), turn(stop.signal)),
	);
	const unopened = readFile(
		sourceWith({ open: async () => await new Promise<never>(() => {}) }),
		turn(stop.signal),
	);
	const ended = Promise.allSettled([...files, unopened]);
	await new Promise(setImmediate);
	stop.abort();
	await ended;
	expect(streams.every(({ destroyed }) => destroyed)).toBe(true);
	const other = await readFile(sourceWith({ open: async () => Buffer.from('other') }), turn());
	expect(other?.size).toBe(5);
});

test('a file that stands still gives its turn back after ten minutes', async () => {
	const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort());
	await expect(readFile(sourceWith({ open: async () => stuck() }), turn())).rejects.toThrow();
	expect(timeout).toHaveBeenCalledWith(600_000);
	timeout.mockRestore();
});
