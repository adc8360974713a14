/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { availablePort, type Port } from '../../../lab/demo/options';
import { freePort } from '../../../lab/process/ports';

let other: Server;
let busy: number;
let free: number;

beforeAll(async () => {
	other = createServer().listen(0, '127.0.0.1');
	await once(other, 'listening');
	busy = (other.address() as AddressInfo).port;
	free = await freePort();
});

afterAll(async () => {
	other.close();
	await once(other, 'close');
});

const editor = { variable: 'N8N_PORT', program: 'the editor' };
const asked = (number: number): Port => ({ number, chosen: true, ...editor });
const usual = (number: number): Port => ({ number, chosen: false, ...editor });

test('one that was asked for and is in use is refused, with its own variable', async () => {
	expect(await availablePort(asked(free), () => undefined)).toBe(free);
	await expect(availablePort(asked(busy), () => undefined)).rejects.toThrow(
		`Port ${busy} is in use by another program: end that one, or choose a port for the editor, e.g. N8N_PORT=${busy + 1} npm start`,
	);
	// Naming the other program's variable would send people round in circles.
	const sandbox = { ...asked(busy), variable: 'SANDBOX_PORT', program: 'the sandbox' };
	await expect(availablePort(sandbox, () => undefined)).rejects.toThrow(
		/for the sandbox, e.g. SANDBOX_PORT=/,
	);
});

test('one that nobody asked for is replaced by a free one, and a line says so', async () => {
	const lines: string[] = [];
	const log = (line: string) => void lines.push(line);
	expect(await availablePort(usual(free), log)).toBe(free);
	expect(lines).toEqual([]);
	const given = await availablePort(usual(busy), log);
	expect(lines).toEqual([
		`Port ${busy} is in use by another program, so the editor is at ${given} this time.`,
	]);
	expect(given).not.toBe(busy);
});
