/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { availablePort } from '../../../lab/demo/options';
import { freePort } from '../../../lab/process/ports';

let other: Server;
let busy: number;

beforeAll(async () => {
	other = createServer().listen(0, '127.0.0.1');
	await once(other, 'listening');
	busy = (other.address() as AddressInfo).port;
});

afterAll(async () => {
	other.close();
	await once(other, 'close');
});

test.each([
	['N8N_PORT', 'the editor'],
	['SANDBOX_PORT', 'the sandbox'],
])('one that %s asks for is refused where it is in use', async (variable, program) => {
	const asked = { chosen: true, variable, program };
	const number = await freePort();
	expect(await availablePort({ ...asked, number }, () => undefined)).toBe(number);
	await expect(availablePort({ ...asked, number: busy }, () => undefined)).rejects.toThrow(
		`Port ${busy} is in use by another program: end that one, or choose a port for ${program}, e.g. ${variable}=${busy + 1} npm start`,
	);
});

test('one that nobody asked for is replaced by a free one, and a line says so', async () => {
	const lines: string[] = [];
	const usual = { number: busy, chosen: false, variable: 'N8N_PORT', program: 'the editor' };
	const given = await availablePort(usual, (line) => void lines.push(line));
	expect(given).not.toBe(busy);
	expect(lines).toEqual([
		`Port ${busy} is in use by another program, so the editor is at ${given} this time.`,
	]);
});
