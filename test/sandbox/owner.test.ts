/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'fs/promises';
import { tmpdir } from 'os';
import { join, relative } from 'path';

import { takeDirectory, type Owned } from '../../sandbox/owner';

let home: string;
beforeEach(async () => {
	home = await mkdtemp(join(tmpdir(), 'mediagen-owner-'));
});
afterEach(async () => await rm(home, { recursive: true, force: true }));

/**
 * Lets as many as there are paths take a directory at once; those that got it, and what the others were told.
 */
async function race(paths: string[]) {
	const ends = await Promise.allSettled(paths.map(async (path) => await takeDirectory(path)));
	const owners: Owned[] = [];
	const told: string[] = [];
	for (const end of ends)
		if (end.status === 'fulfilled') owners.push(end.value);
		else told.push((end.reason as Error).message);
	return { owners, told };
}

const long = 'x'.repeat(120);

/** How a directory may be named: of six at once, each way comes up. */
const WAYS: Array<[string, (link: string) => string[]]> = [
	['one that is not there yet', () => [join(home, 'a', 'b')]],
	['one with a path that is longer than a socket may have', () => [join(home, long, long)]],
	['a relative path', () => [relative(process.cwd(), join(home, 'a')), join(home, 'a')]],
	['a link, and what it leads to', (link) => [join(home, 'real'), link, `${link}/`]],
	['a link below a long path', (link) => [join(home, 'real'), join(link, '..', 'real')]],
];

test.each(WAYS)('of six at once one gets it, three times over: %s', async (_name, pathsOf) => {
	const link = join(home, long);
	await mkdir(join(home, 'real'));
	await symlink(join(home, 'real'), link);
	const ways = pathsOf(link);
	const paths = Array.from({ length: 6 }, (_, at) => ways[at % ways.length]!);
	for (let round = 0; round < 3; round += 1) {
		const { owners, told } = await race(paths);
		expect([owners.length, told.length]).toEqual([1, 5]);
		for (const message of told) expect(message).toContain('Another sandbox uses the directory');
		// Its record stays behind, as after a kill.
		await owners[0]?.release();
	}
	const { owners } = await race(paths.slice(0, 1));
	const [owner] = owners;
	const left = (await readdir(owner!.directory)).filter((name) => name.endsWith('.sock'));
	expect(left).toHaveLength(1);
	await owner?.release();
});

test.each([
	['in a file', async () => await writeFile(join(home, 'a'), ''), () => join(home, 'a', 'b')],
	['a file', async () => await writeFile(join(home, 'a'), ''), () => join(home, 'a')],
	['a link to nothing', async () => await symlink('gone', join(home, 'a')), () => join(home, 'a')],
	['where nothing can be made', async () => undefined, () => '/proc/mediagen/x'],
	['where nothing can be written', async () => undefined, () => '/proc'],
])('one that cannot be used is refused in words: %s', async (_name, prepare, pathOf) => {
	await prepare();
	const path = pathOf();
	const { owners, told } = await race([path]);
	expect(owners).toEqual([]);
	expect(told[0]).toContain(`The directory ${path} cannot be used, choose another with --data: `);
	expect(told[0]).not.toContain('\n');
});
