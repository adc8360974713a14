import { read } from '../support/sources';

const folder = '.github/workflows';

test('publishing is what n8n-node writes: with provenance, from a tag, after lint and build', () => {
	const template = read(
		'node_modules/@n8n/node-cli/dist/template/templates/shared/default/.github/workflows/publish.yml',
	);
	const written = template
		.replaceAll('{{packageManager.name}}', 'npm')
		.replaceAll('{{packageManager.installCommand}}', 'ci')
		// No registry is named in this repository: the token goes to the one that npm uses.
		.replace(
			/npm config set \/\/[\w.]+\/:_authToken/,
			`npm config set "$(npm config get registry | sed 's/^https://'):_authToken"`,
		);
	// Our own step: only here may the package be published.
	const lifted = / {6}# package\.json is private[^]*?run: npm pkg delete private\n\n/;
	const workflow = read(`${folder}/publish.yml`);
	expect(workflow).toMatch(lifted);
	expect(workflow.replace(lifted, '')).toBe(written);
});

test('every Node that the package supports is tested, the oldest first', () => {
	const [, nodes = ''] = /node: \[(.*)\]/.exec(read(`${folder}/ci.yml`)) ?? [];
	expect(nodes.split(', ').map(Number)).toEqual([20, 22, 24]);
	const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
	expect(engines.node).toBe(`>=${nodes.split(', ')[0]}`);
});
