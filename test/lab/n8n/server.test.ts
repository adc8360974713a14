/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { createServer, type AddressInfo } from 'node:net';
import { requireServer, tellForeignDatabase } from '../../../lab/n8n/queue/server';
import { LabError } from '../../../lab/process/failure';

async function listening(work: (port: number) => Promise<void>): Promise<number> {
	const server = createServer((socket) => socket.destroy());
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	await work(port);
	await new Promise((resolve) => server.close(resolve));
	return port;
}

it('takes the address of a server that is there', async () => {
	await listening(async (port) => {
		const redis = `redis://:p%40ss@127.0.0.1:${port}/3`;
		expect(await requireServer('REDIS_URL', redis)).toBe(redis);
		const database = `postgresql://n8n@127.0.0.1:${port}/n8n`;
		expect(await requireServer('DATABASE_URL', database)).toBe(database);
	});
});

it('says in one line, without the password, that nothing listens there', async () => {
	const port = await listening(async () => {});
	const asked = requireServer('DATABASE_URL', `postgres://n8n:secret@127.0.0.1:${port}/n8n`);
	await expect(asked).rejects.toThrow(
		new LabError(`No PostgreSQL server answers at 127.0.0.1:${port}, which DATABASE_URL names`),
	);
});

it.each([
	['DATABASE_URL', 'localhost:5432', 'postgres:// or postgresql://'],
	['DATABASE_URL', 'mysql://n8n@127.0.0.1/n8n', 'postgres:// or postgresql://'],
	['REDIS_URL', '127.0.0.1', 'redis:// or rediss://'],
	['REDIS_URL', 'redis://', 'redis:// or rediss://'],
] as const)('%s=%s is not the address of one', async (variable, value, wanted) => {
	const asked = requireServer(variable, value);
	await expect(asked).rejects.toThrow(LabError);
	await expect(asked).rejects.toThrow(new RegExp(`^${variable} is not .* begins with ${wanted}$`));
});

it('names a database that is encrypted with the key of another n8n', () => {
	const said = "Deployment key 'signing.hmac' cannot be read with this instance encryption key";
	expect(() => tellForeignDatabase(new LabError(said, 'main.log'))).toThrow(
		/^The database that DATABASE_URL names .* set N8N_ENCRYPTION_KEY .*main\.log/,
	);
	const other = new LabError('n8n ended with code 1');
	expect(() => tellForeignDatabase(other)).toThrow(other);
});
