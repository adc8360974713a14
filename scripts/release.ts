/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import execa from 'execa';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LabError } from '../lab/process/failure';
import { projectRoot } from '../lab/process/paths';
import manifest from '../package.json';

const changelog = path.join(projectRoot, 'CHANGELOG.md');

/** With all random cases, of which a working day's tests go through a tenth. */
const env = { TEST_THOROUGH: '1' };

/** Runs a command in sight of whoever releases. @throws when it fails */
function run(command: string, ...args: string[]): void {
	execa.sync(command, args, { cwd: projectRoot, preferLocal: true, stdio: 'inherit', env });
}

const git = (...args: string[]) => execa.sync('git', args, { cwd: projectRoot }).stdout;

/** @throws LabError when a release of this state would not be that of main, or tell nothing */
function requireReady(version: string, heading: string): void {
	if (!/^\d+\.\d+\.\d+$/.test(version))
		throw new LabError('Say which version: npm run release -- 0.2.0');
	if (manifest.homepage.includes('example.com'))
		throw new LabError('package.json has no real addresses yet: run npm run address first');
	if (git('branch', '--show-current') !== 'main') throw new LabError('Release from main');
	if (git('status', '--porcelain') !== '')
		throw new LabError('Commit or remove your changes first');
	git('fetch', '--quiet', 'origin', 'main');
	if (git('rev-parse', 'HEAD') !== git('rev-parse', 'origin/main'))
		throw new LabError('main differs from origin/main: pull or push first');
	if (!readFileSync(changelog, 'utf8').includes(`${heading}\n`))
		throw new LabError(`CHANGELOG.md has no line "${heading}" with what is new below it`);
}

/** Lints, tests, tries the tests by all mutants, builds, dates the entry of the changelog, sets the version, tags and pushes. */
function release(version: string): void {
	const heading = `## ${version} (unreleased)`;
	requireReady(version, heading);
	run('npm', 'run', 'lint');
	run('npm', 'test');
	run('npm', 'run', 'mutants');
	run('npm', 'run', 'build');
	const today = new Date().toISOString().slice(0, 10);
	const text = readFileSync(changelog, 'utf8');
	writeFileSync(changelog, text.replace(heading, `## ${version} (${today})`));
	run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version');
	run('git', 'commit', '--quiet', '-am', `Release ${version}`);
	run('git', 'tag', version);
	run('git', 'push', '--quiet', '--atomic', 'origin', 'main', version);
	console.log(`Pushed ${version}: publish.yml publishes it.`);
}

/**
 * `npm run release -- 0.2.0` makes a release on main and pushes it; no package is published from here.
 * On GitHub publish.yml runs it without a version: n8n's own tool lints, builds and publishes with provenance.
 */
function main([version = '']: string[]): void {
	try {
		if (process.env.GITHUB_ACTIONS) run('n8n-node', 'release');
		else release(version);
	} catch (error) {
		console.error(error instanceof LabError ? error.message : (error as Error).message);
		process.exitCode = 1;
	}
}

main(process.argv.slice(2));
