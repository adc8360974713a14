import { MediaGenApi } from '../../credentials/MediaGenApi.credentials';
import { MediaGenWebhookSecretApi } from '../../credentials/MediaGenWebhookSecretApi.credentials';
import { filesIn, read } from '../support/sources';

/** Where the documentation is published. Whether its links lead anywhere, `npm run docs:check` sees. */
const { homepage: SITE } = JSON.parse(read('package.json')) as { homepage: string };

test('the links of the README work where the registry shows it: they are absolute, or within it', () => {
	const targets = [...read('README.md').matchAll(/\]\(([^)\s]+)/g)].map(
		([, target = '']) => target,
	);
	expect(targets.filter((target) => target.startsWith(`${SITE}/`)).length).toBeGreaterThan(20);
	expect(targets.filter((target) => !/^(https:|#)/.test(target))).toEqual([]);
	// Nothing names another address of this project than package.json.
	const project = targets.filter((target) => target.includes('n8n-nodes-mediagen'));
	expect(project.filter((target) => !target.startsWith(`${SITE}/`))).toEqual([]);
});

/**
 * The address of this project is a placeholder until it has a home. Without a link of its own a
 * node's _Docs_ leads to the package at npm, whose page is README. A credential must have one.
 */
test('no Docs link in the editor leads to a placeholder', () => {
	const codexes = filesIn('nodes', '.node.json').map(read);
	expect(codexes).toHaveLength(filesIn('nodes', '.node.ts').length);
	expect(codexes.filter((codex) => codex.includes('"url"'))).toEqual([]);
	for (const { documentationUrl } of [new MediaGenApi(), new MediaGenWebhookSecretApi()])
		expect(documentationUrl).toMatch(/^https:\/\/docs\.n8n\.io\//);
});
