/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import execa from 'execa';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { ROOT } from '../../support/sources';

/*
 * A clone of the project for the tests of a file that imports this: made before them, and gone after them.
 */

/** Where it lies, and whatever else is to go with it. */
export const folder = mkdtempSync(join(tmpdir(), 'mediagen-release-'));
/** A clone in which only `npm ci` has run, with an origin of its own beside it. */
export const clone = join(folder, 'clone');
export const origin = join(folder, 'origin.git');

/** The settings of somebody who is logged in, at a registry where nobody answers. */
const account = join(folder, 'npmrc');
const settings = ['registry=http://127.0.0.1:9/', '//127.0.0.1:9/:_authToken=none'];
writeFileSync(account, [...settings, 'fetch-retries=0', `cache=${folder}/cache`].join('\n'));

/** Without what a test run adds to the environment: a person's shell does not have it. */
const person = Object.entries(process.env).filter(
	([name]) => !/^(npm_|NODE_ENV$|GITHUB_)/i.test(name),
);
const accounts = { npm_config_userconfig: account, GIT_CONFIG_GLOBAL: '/dev/null' };
const env = { ...Object.fromEntries(person), ...accounts };
const options = { cwd: clone, env, extendEnv: false, preferLocal: true, all: true } as const;

/** Runs what has to go well. @returns what it prints */
export const well = async (command: string, ...args: string[]) =>
	(await execa(command, args, options)).stdout;

/** Runs what has to fail. @returns all that it says */
export async function refused(command: string, args: string[], more = {}): Promise<string> {
	const given = { ...options, env: { ...env, ...more }, reject: false };
	const { exitCode, all = '' } = await execa(command, args, given);
	expect([command, args, exitCode]).not.toEqual([command, args, 0]);
	return all;
}

beforeAll(async () => {
	const git = async (cwd: string, ...args: string[]) => await execa('git', args, { cwd });
	await git(folder, 'clone', '--quiet', '--bare', '--no-hardlinks', ROOT, origin);
	// Whatever the branch that is tested is called.
	await git(origin, 'branch', '--force', 'main', 'HEAD');
	await git(origin, 'symbolic-ref', 'HEAD', 'refs/heads/main');
	await git(folder, 'clone', '--quiet', origin, clone);
	symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
	await git(clone, 'config', 'user.name', 'Test');
	await git(clone, 'config', 'user.email', 'test@example.com');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
