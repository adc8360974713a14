/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { availablePort, requirePorts, type Port } from '../../../lab/demo/options';
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

test('a port that was asked for and is in use is refused before anything starts', async () => {
	const both = { port: asked(free), sandboxPort: asked(free) };
	await expect(requirePorts(both)).resolves.toBeUndefined();
	await expect(requirePorts({ ...both, port: asked(busy) })).rejects.toThrow(
		`Port ${busy} is in use by another program: end that one, or choose a port for the editor, e.g. N8N_PORT=${busy + 1} npm start`,
	);
	const sandboxPort = { ...asked(busy), variable: 'SANDBOX_PORT', program: 'the sandbox' };
	const sandboxBusy = { ...both, sandboxPort };
	// Naming the other program's variable would send people round in circles.
	await expect(requirePorts(sandboxBusy)).rejects.toThrow(/for the sandbox, e.g. SANDBOX_PORT=/);
	const service = { baseUrl: 'https://example.com/v1', apiKey: 'key' };
	await expect(requirePorts({ ...sandboxBusy, service })).resolves.toBeUndefined();
});

test('one that nobody asked for is replaced by a free one, and a line says so', async () => {
	await expect(requirePorts({ port: usual(busy), sandboxPort: usual(busy) })).resolves.toBe(
		undefined,
	);
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
