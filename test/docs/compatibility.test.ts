import { releases } from '../../lab/n8n/release';
import { read } from '../support/sources';

const all = releases();
const names = all.map(({ name }) => name);
const [oldest = '', newest = ''] = [names[0], names.at(-1)];

test('README and its page name the range that is locked and tested', () => {
	expect(read('README.md')).toContain(`n8n ${oldest} to ${newest}`);
	const rows = read('docs/compatibility.md').matchAll(/^\| (\d+\.\d+\.\d+) +\| (\d+)/gm);
	expect([...rows].map(([, version]) => version)).toEqual(all.map(({ version }) => version));
});

const listedIn = (workflow: string, name: string): string[] =>
	new RegExp(`${name}: \\[(.*)\\]`).exec(workflow)?.[1]?.split(', ') ?? [];

test('CI runs all of the range on GitHub, and the oldest wherever it runs', () => {
	const workflow = read('.github/workflows/ci.yml');
	expect(listedIn(workflow, 'n8n')).toEqual(names.map((name) => `'${name}'`));
	expect(read('.ci/run')).toContain(`scripts/compat.ts --n8n ${oldest}`);
});

test('every Node that the package supports is tested, the exact oldest first', () => {
	const versions = listedIn(read('.github/workflows/ci.yml'), 'node');
	expect(versions).toEqual(['20.19.0', '22', '24']);
	const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
	expect(`${engines.node}.0`).toBe(`>=${versions[0]}`);
});
