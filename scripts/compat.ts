/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { spawnSync } from 'node:child_process';
import { releaseNamed, releases } from '../lab/n8n/release';

const usage = `npm run test:compat -- [--n8n ${releases()
	.map(({ name }) => name)
	.join('|')}] [--files default|filesystem|database] [options of jest]

Runs the smoke in an n8n of the supported range, which is installed when it is missing; without --n8n in all of them.
--files says where n8n keeps binary data; without it each n8n decides.`;

const args = process.argv.slice(2);

/** Takes an option with its value out of the arguments; what is left is jest's. */
function take(option: string): string | undefined {
	const at = args.indexOf(option);
	return at < 0 ? undefined : args.splice(at, 2)[1];
}

if (args.includes('--help')) {
	console.log(usage);
	process.exit(0);
}
const asked = take('--n8n');
const files = take('--files');
const chosen = asked ? [releaseNamed(asked)] : releases();

for (const { name } of chosen) {
	const env = { ...process.env, MEDIAGEN_N8N: name, ...(files && { MEDIAGEN_N8N_FILES: files }) };
	const jest = [require.resolve('jest/bin/jest'), '-c', 'jest.compat.config.js', ...args];
	const { status } = spawnSync(process.execPath, jest, { stdio: 'inherit', env });
	if (status !== 0) process.exitCode = status ?? 1;
}
