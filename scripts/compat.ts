/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import execa from 'execa';
import { releaseNamed, releases } from '../lab/n8n/release';

/**
 * `npx tsx scripts/compat.ts [--n8n 1.123] [--files default|filesystem|database] [options of jest]` runs the
 * smoke in an n8n of the supported range, which is installed when it is missing; without --n8n in all of
 * them. --files says where n8n keeps binary data; without it each n8n decides.
 */
const args = process.argv.slice(2);

/** Takes an option with its value out of the arguments; what is left is jest's. */
function take(option: string): string | undefined {
	const at = args.indexOf(option);
	return at < 0 ? undefined : args.splice(at, 2)[1];
}

const asked = take('--n8n');
const files = take('--files');

for (const { name } of asked ? [releaseNamed(asked)] : releases()) {
	const env = { MEDIAGEN_N8N: name, ...(files && { MEDIAGEN_N8N_FILES: files }) };
	const jest = ['-c', 'test/jest/compat.js', ...args];
	const options = { stdio: 'inherit', env, reject: false } as const;
	const { exitCode } = execa.sync('jest', jest, { ...options, preferLocal: true });
	if (exitCode !== 0) process.exitCode = exitCode ?? 1;
}
