/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import execa from 'execa';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LabError } from '../lab/process/failure';
import { projectRoot } from '../lab/process/paths';
import manifest from '../package.json';
import { addressesIn, isPlaceholder } from './addresses';

const cwd = projectRoot;
const changelog = path.join(projectRoot, 'CHANGELOG.md');

/** All that the commit of a release changes. */
const CHANGED = ['CHANGELOG.md', 'package.json', 'package-lock.json'];

const NO_ANSWER = 'origin does not answer: run the same command again when it does';

/** With all random cases, of which a working day's tests go through a tenth. */
const env = { TEST_THOROUGH: '1' };

/** Runs a command in sight of whoever releases. @throws when it fails */
function run(command: string, ...args: string[]): void {
	execa.sync(command, args, { cwd, preferLocal: true, stdio: 'inherit', env });
}

/** @returns what git prints; @throws when it fails */
const git = (...args: string[]) => execa.sync('git', args, { cwd }).stdout;

const tryGit = (...args: string[]) => execa.sync('git', args, { cwd, reject: false });

const headingOf = (version: string) => `## ${version} (unreleased)\n`;
const subjectOf = (version: string) => `Release ${version}`;

/** What the tag of a version names here, or nothing. */
const tagHere = (version: string) =>
	tryGit('rev-parse', '--quiet', '--verify', `refs/tags/${version}`).stdout;

/** What it names at origin, or nothing. @throws LabError when origin does not answer */
function tagAtOrigin(version: string): string {
	const { failed, stdout } = tryGit('ls-remote', 'origin', `refs/tags/${version}`);
	if (failed) throw new LabError(NO_ANSWER);
	return stdout.split('\t')[0] ?? '';
}

/** Whether the last commit here is that of this release, as `prepare` makes it. */
function isPrepared(version: string): boolean {
	if (git('log', '-1', '--format=%s') !== subjectOf(version)) return false;
	const files = git('diff', '--name-only', 'HEAD^', 'HEAD').split('\n');
	return files.every((file) => CHANGED.includes(file));
}

/** @throws LabError when npm has this version, or cannot be asked */
function requireNewAtNpm(version: string): void {
	const args = ['view', `${manifest.name}@${version}`, 'version', '--json'];
	const { failed, stdout } = execa.sync('npm', args, { cwd, reject: false });
	// Of a package that it has, npm prints nothing for a version that it has not.
	if (!failed && stdout === '') return;
	if (!failed) throw new LabError(`npm has ${version} already: choose the next version`);
	if (!stdout.includes('"E404"'))
		throw new LabError(`npm cannot be asked whether it has ${version}`);
}

function requireClean(): void {
	if (git('status', '--porcelain') !== '')
		throw new LabError('Commit or remove your changes first');
}

/** @throws LabError when what is here is no state of main that could be a release of this version */
function requireMain(version: string): void {
	if (!/^\d+\.\d+\.\d+$/.test(version))
		throw new LabError('Say which version: npm run release -- 0.2.0');
	if (Object.values(addressesIn(manifest)).some(isPlaceholder))
		throw new LabError('package.json has no real addresses yet: run npm run address first');
	if (git('branch', '--show-current') !== 'main') throw new LabError('Release from main');
	requireClean();
}

/** @throws LabError when it is not that of origin, or has this release already, or nothing to tell of it */
function requireNew(version: string): void {
	if (tryGit('fetch', '--quiet', 'origin', 'main').failed) throw new LabError(NO_ANSWER);
	if (git('rev-parse', 'HEAD') !== git('rev-parse', 'origin/main'))
		throw new LabError('main differs from origin/main: pull or push first');
	if (tagAtOrigin(version)) throw new LabError(`origin has the tag ${version} already`);
	if (tagHere(version))
		throw new LabError(`There is a tag ${version} here already: git tag --delete ${version}`);
	const heading = headingOf(version);
	if (!readFileSync(changelog, 'utf8').includes(heading))
		throw new LabError(`CHANGELOG.md has no line "${heading.trim()}" with what is new below it`);
}

/** Asks what the last steps need, before hours of tests. @throws LabError when it would be refused */
function requireRights(version: string): void {
	for (const role of ['AUTHOR', 'COMMITTER'])
		if (tryGit('-c', 'user.useConfigOnly=true', 'var', `GIT_${role}_IDENT`).failed)
			throw new LabError('git does not know who you are: set user.name and user.email');
	requireNewAtNpm(version);
	const wanted = ['HEAD:refs/heads/main', `HEAD:refs/tags/${version}`];
	const { failed, stderr } = tryGit('push', '--dry-run', '--quiet', 'origin', ...wanted);
	if (failed) throw new LabError(`You may not push to origin: ${stderr}`);
}

/** Lints, tests, tries the tests by all mutants, builds. @throws when one fails */
function check(): void {
	run('npm', 'run', 'lint');
	run('npm', 'test');
	run('npm', 'run', 'mutants');
	run('npm', 'run', 'build');
}

/** Makes what `prepare` has done undone, as far as it got; whatever else has changed meanwhile stays. */
function takeBack(version: string, before: string): void {
	if (tagHere(version)) git('tag', '--delete', version);
	git('reset', '--quiet', '--soft', before);
	git('restore', '--staged', '--worktree', '--', ...CHANGED);
}

/** Dates the entry of the changelog, sets the version, commits and tags it: all of it, or nothing. */
function prepare(version: string): void {
	requireClean();
	const before = git('rev-parse', 'HEAD');
	let isMade = false;
	try {
		const today = new Date().toISOString().slice(0, 10);
		const text = readFileSync(changelog, 'utf8');
		writeFileSync(changelog, text.replace(headingOf(version), `## ${version} (${today})\n`));
		run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version');
		run('git', 'commit', '--quiet', '-m', subjectOf(version), '--', ...CHANGED);
		isMade = true;
	} finally {
		if (!isMade) takeBack(version, before);
	}
}

/**
 * Tags and pushes the commit of a release. What origin refuses, such as one that comes after somebody else's
 * commit, is taken back. Where origin does not answer, all stays, and the next call goes on from here.
 */
function push(version: string): void {
	if (!tagHere(version)) run('git', 'tag', version);
	const wanted = ['refs/heads/main', `refs/tags/${version}`];
	const { failed, stderr } = tryGit('push', '--quiet', '--atomic', 'origin', ...wanted);
	if (!failed || tagAtOrigin(version) === tagHere(version)) return;
	takeBack(version, 'HEAD^');
	const next = 'Nothing of the release is left here. Pull, and run the same command again';
	throw new LabError(`origin has refused it: ${stderr}\n${next}`);
}

/**
 * `npm run release -- 0.2.0` makes a release on main and pushes it; publish.yml publishes it. Nothing is
 * changed before all that can refuse has been asked and all checks have passed. A release whose commit is
 * there already was not pushed to its end, or was: to push it again is right in both cases.
 */
function release(version: string): void {
	requireMain(version);
	if (!isPrepared(version)) {
		requireNew(version);
		requireRights(version);
		check();
		prepare(version);
	}
	push(version);
	console.log(`Pushed ${version}: publish.yml publishes it.`);
}

try {
	release(process.argv[2] ?? '');
} catch (error) {
	console.error((error as Error).message);
	process.exitCode = 1;
}
