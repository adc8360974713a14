/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { LabError } from '../../process/failure';
import { freePort } from '../../process/ports';
import { cleanEnvironment, startGuarded } from '../../process/process';
import type { Log } from '../../process/progress';
import { requireProgram } from './programs';
import { untilTrue, type Backend } from './backend';

const host = '127.0.0.1';

/** The variables that n8n reads for a Redis at an address such as `redis://user:password@host:6379/0`. */
function environmentOf(address: string): Record<string, string> {
	const { hostname, port, username, password, pathname, protocol } = new URL(address);
	return {
		QUEUE_BULL_REDIS_HOST: hostname,
		QUEUE_BULL_REDIS_PORT: port || '6379',
		QUEUE_BULL_REDIS_USERNAME: decodeURIComponent(username),
		QUEUE_BULL_REDIS_PASSWORD: decodeURIComponent(password),
		QUEUE_BULL_REDIS_DB: pathname.slice(1) || '0',
		QUEUE_BULL_REDIS_TLS: String(protocol === 'rediss:'),
	};
}

/** The Redis at REDIS_URL, or one of our own on a free port that keeps nothing on disk. */
export async function startRedis(log: Log): Promise<Backend> {
	const given = process.env.REDIS_URL;
	if (given) return { env: environmentOf(given), stop: async () => undefined };
	const program = await requireProgram('redis-server', log);
	const folder = mkdtempSync(path.join(os.tmpdir(), 'mediagen-redis-'));
	const port = await freePort();
	const logFile = path.join(folder, 'redis.log');
	const redis = startGuarded({
		command: program,
		args: ['--port', String(port), '--bind', host, '--save', '', '--dir', folder],
		env: cleanEnvironment(),
		logFile,
	});
	const stop = async () => {
		await redis.kill();
		rmSync(folder, { recursive: true, force: true });
	};
	if (!(await untilTrue(async () => await answers(port), redis.ended))) {
		await stop();
		throw new LabError(`Redis did not start on port ${port}`);
	}
	return { env: environmentOf(`redis://${host}:${port}/0`), stop };
}

/** Whether something on the port speaks Redis. */
async function answers(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = createConnection({ host, port }, () => socket.write('PING\r\n'));
		socket.setTimeout(2_000, () => socket.destroy());
		socket.once('data', (data) => {
			socket.destroy();
			resolve(data.toString().startsWith('+PONG'));
		});
		socket.once('error', () => resolve(false));
		socket.once('close', () => resolve(false));
	});
}
