/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { createServer, type AddressInfo } from 'node:net';
import { Cleanup } from '../../../lab/demo/cleanup';
import { startBackends } from '../../../lab/n8n/backends';
import { explainForeignDatabase } from '../../../lab/n8n/queue';
import { LabError } from '../../../lab/process/failure';
import { silent } from '../../../lab/process/progress';

async function listening(work: (port: number) => Promise<void>): Promise<number> {
	const server = createServer((socket) => socket.destroy());
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	await work(port);
	await new Promise((resolve) => server.close(resolve));
	return port;
}

const backends = async (env: NodeJS.ProcessEnv) => await startBackends(new Cleanup(), silent, env);

it('points n8n to the servers that are named and there', async () => {
	await listening(async (port) => {
		const env = await backends({
			REDIS_URL: `redis://:p%40ss@127.0.0.1:${port}/3`,
			DATABASE_URL: `postgresql://n8n@127.0.0.1:${port}/n8n`,
			N8N_ENCRYPTION_KEY: 'of before',
		});
		expect(env).toMatchObject({
			QUEUE_BULL_REDIS_PASSWORD: 'p@ss',
			QUEUE_BULL_REDIS_DB: '3',
			DB_POSTGRESDB_USER: 'n8n',
			DB_POSTGRESDB_PORT: String(port),
			N8N_ENCRYPTION_KEY: 'of before',
		});
	});
});

it('says in one line, without the password, that nothing listens there', async () => {
	await listening(async (there) => {
		const gone = await listening(async () => {});
		const asked = backends({
			REDIS_URL: `redis://127.0.0.1:${there}`,
			DATABASE_URL: `postgres://n8n:secret@127.0.0.1:${gone}/n8n`,
		});
		await expect(asked).rejects.toThrow(
			new LabError(`No PostgreSQL server answers at 127.0.0.1:${gone}, which DATABASE_URL names`),
		);
	});
});

it.each(['127.0.0.1', 'redis://', 'mysql://127.0.0.1'])(
	'REDIS_URL=%s is not the address of one',
	async (value) => {
		const asked = backends({ REDIS_URL: value });
		await expect(asked).rejects.toThrow(LabError);
		await expect(asked).rejects.toThrow(/^REDIS_URL is not .* begins with redis:.. or rediss:..$/);
	},
);

it('names a database that is encrypted with the key of another n8n', () => {
	const said = "Deployment key 'signing.hmac' cannot be read with this instance encryption key";
	expect(() => explainForeignDatabase(new LabError(said, 'main.log'))).toThrow(
		/^The database that DATABASE_URL names .* set N8N_ENCRYPTION_KEY .*main\.log/,
	);
	const other = new LabError('n8n ended with code 1');
	expect(() => explainForeignDatabase(other)).toThrow(other);
});
