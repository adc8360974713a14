/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Cleanup } from '../../demo/cleanup';
import { LabError } from '../../process/failure';
import { freePort } from '../../process/ports';
import { cleanEnvironment, lastLines, startGuarded } from '../../process/process';
import type { Log } from '../../process/progress';
import { requireProgram } from './programs';
import { requireServer } from './server';
import { untilTrue } from './untilTrue';

const host = '127.0.0.1';

/**
 * The variables that n8n reads for a Redis at an address such as
 * `redis://user:password@host:6379/0`.
 */
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

/**
 * The Redis at REDIS_URL, or one of our own on a free port that keeps nothing on disk.
 *
 * @returns the variables by which n8n finds it
 */
export async function startRedis(cleanup: Cleanup, log: Log): Promise<Record<string, string>> {
	const given = process.env.REDIS_URL;
	if (given) return environmentOf(await requireServer('REDIS_URL', given));
	const program = await requireProgram('redis-server', log);
	const folder = mkdtempSync(path.join(os.tmpdir(), 'mediagen-redis-'));
	cleanup.add(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
	const port = await freePort();
	const logFile = path.join(folder, 'redis.log');
	const redis = startGuarded({
		command: program,
		args: ['--port', String(port), '--bind', host, '--save', '', '--dir', folder],
		env: cleanEnvironment(),
		logFile,
	});
	cleanup.add(redis.kill);
	if (await untilTrue(async () => await answers(port), redis.ended)) {
		return environmentOf(`redis://${host}:${port}/0`);
	}
	throw new LabError(`Redis did not start on port ${port}:\n${lastLines(logFile)}`);
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
