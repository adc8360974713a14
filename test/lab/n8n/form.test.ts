/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FormPages } from '../../../lab/n8n/form';

/** A form of two pages, each of which n8n loses so many times. */
function formThatLoses(times: number) {
	let sent = 0;
	const received = () => Math.max(0, sent - times);
	const isClosed = () => sent > 2 * times + 1;
	const server = createServer((request, response) => {
		const url = request.url ?? '';
		if (url === '/form') {
			const { port } = server.address() as AddressInfo;
			const formWaitingUrl = `http://127.0.0.1:${port}/form-waiting/1`;
			return response.end(JSON.stringify({ formWaitingUrl }));
		}
		if (url.endsWith('/n8n-execution-status'))
			return response.end(isClosed() ? 'success' : 'form-waiting');
		if (request.method !== 'POST') return response.end(received() > 0 ? 'The end' : 'How many?');
		request.resume();
		sent += 1;
		return response.end('{}');
	});
	return { server, received, isClosed };
}

describe('a page of a form', () => {
	let server: Server;
	let now: jest.SpyInstance;

	afterEach(() => {
		now.mockRestore();
		server.close();
	});

	it.each([0, 1])('reaches n8n once, where it was lost %d times', async (times) => {
		// Five seconds pass from one look at the clock to the next.
		let time = Date.now();
		now = jest.spyOn(Date, 'now').mockImplementation(() => (time += 5_000));
		const form = formThatLoses(times);
		server = form.server;
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const { port } = server.address() as AddressInfo;
		const pages = await FormPages.submit(`http://127.0.0.1:${port}/form`, 'a');
		await pages.shows('How many?');
		await pages.next('3');
		await pages.shows('The end');
		expect(form.received()).toBe(1);
		await pages.close();
		expect(form.isClosed()).toBe(true);
	});
});
