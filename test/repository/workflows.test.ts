/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readdirSync } from 'fs';
import { join } from 'path';
import { read, ROOT } from '../support/sources';

const folder = '.github/workflows';
const workflows = readdirSync(join(ROOT, folder));

const publish = read(`${folder}/publish.yml`);

/** The jobs of a workflow by their names, as text. */
function jobsOf(workflow: string): Record<string, string> {
	const [, jobs = ''] = workflow.split('\njobs:\n');
	const parts = jobs.split(/^ {2}([\w-]+):$/m);
	const names = parts.filter((_, index) => index % 2 === 1);
	return Object.fromEntries(names.map((name, index) => [name, parts[2 * index + 2] ?? '']));
}

test.each(workflows)('%s uses actions by their commit, and says which version that is', (file) => {
	const used = [...read(`${folder}/${file}`).matchAll(/uses: (.*)/g)].map(
		([, action = '']) => action,
	);
	expect(used).not.toEqual([]);
	const isPinned = (action: string) => /^\.\/|^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action);
	expect(used.filter((action) => !isPinned(action))).toEqual([]);
});

test('an action is the same commit wherever it is used', () => {
	const text = workflows.map((file) => read(`${folder}/${file}`)).join('\n');
	const used = new Set([...text.matchAll(/uses: ([\w/-]+@.*)/g)].map(([, action = '']) => action));
	const names = [...used].map((action) => action.split('@')[0]);
	expect(names).toEqual([...new Set(names)]);
});

describe('publish.yml', () => {
	const { check = '', publish: publishes = '', site = '', ...others } = jobsOf(publish);

	test('has three jobs, each after the one before', () => {
		expect(others).toEqual({});
		expect(check).not.toContain('needs:');
		expect(publishes).toContain('needs: check\n');
		expect(site).toContain('needs: publish\n');
	});

	test('asks for the tag before anything is installed, and packs after .ci/run', () => {
		const steps = [
			'.ci/tag "$GITHUB_REF_NAME"',
			'.ci/prepare',
			'.ci/run',
			'npm pack',
			'upload-artifact',
		];
		const places = steps.map((step) => check.indexOf(step));
		expect(places).not.toContain(-1);
		expect([...places].sort((a, b) => a - b)).toEqual(places);
	});

	test('publishes that tarball in a protected environment, where nothing is installed or built', () => {
		expect(publishes).toContain('environment: npm\n');
		expect(publishes).toContain('download-artifact');
		expect(publishes).not.toMatch(/checkout|npm (ci|install|run|pack)/);
	});

	test('lets no other job publish to npm', () => {
		expect(publishes).toContain('id-token: write');
		expect(check).not.toMatch(/id-token|NPM_TOKEN|npm publish/);
		expect(site).not.toMatch(/NPM_TOKEN|npm publish/);
		expect(publish.split('\njobs:\n')[0]).toContain('permissions:\n  contents: read\n');
	});
});

test('nothing but publish.yml starts the workflow that publishes the site', () => {
	const docs = read(`${folder}/docs.yml`);
	const [, on = ''] = /\non:\n((?: .*\n)+)/.exec(docs) ?? [];
	expect(on.match(/^ {2}\w+/gm)).toEqual(['  workflow_call']);
	expect(workflows.filter((file) => read(`${folder}/${file}`).includes('docs.yml'))).toEqual([
		'publish.yml',
	]);
});
