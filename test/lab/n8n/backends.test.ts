import { Cleanup } from '../../../lab/process/cleanup';
import { startBackends } from '../../../lab/n8n/backends';
import { silent } from '../../../lab/process/progress';

const backends = async (env: NodeJS.ProcessEnv) => await startBackends(new Cleanup(), silent, env);

it('points n8n to the servers that are named', async () => {
	const env = await backends({
		REDIS_URL: 'redis://:p%40ss@127.0.0.1/3',
		DATABASE_URL: 'postgresql://n8n@127.0.0.1:5433/n8n',
		N8N_ENCRYPTION_KEY: 'of before',
	});
	expect(env).toMatchObject({
		QUEUE_BULL_REDIS_PASSWORD: 'p@ss',
		QUEUE_BULL_REDIS_PORT: '6379',
		QUEUE_BULL_REDIS_DB: '3',
		DB_POSTGRESDB_USER: 'n8n',
		DB_POSTGRESDB_PORT: '5433',
		N8N_ENCRYPTION_KEY: 'of before',
	});
});

it('what is not an address is named', async () => {
	await expect(backends({ REDIS_URL: '127.0.0.1' })).rejects.toThrow('REDIS_URL is not a URL');
});
