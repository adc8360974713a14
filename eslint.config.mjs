import { config } from '@n8n/node-cli/eslint';

/** Nothing of this is published: it may use Node's own timers, processes and files, and print. */
const unpublished = ['src/sandbox', 'lab', 'bench', 'test'].map((folder) => `${folder}/**/*.ts`);

/** The rules that speak of what runs inside n8n. */
const publishedOnly = [
	'@n8n/community-nodes/no-restricted-globals',
	'@n8n/community-nodes/no-restricted-imports',
	'@n8n/community-nodes/no-dangerous-functions',
	'@n8n/community-nodes/no-hardcoded-secrets',
	'@n8n/community-nodes/no-dead-files',
	'@n8n/community-nodes/require-node-api-error',
	'import-x/no-unresolved',
	'no-console',
];

export default [
	{ ignores: ['dist', 'out', 'coverage', '.n8n-lab', 'lab/node_modules', 'docs'] },
	...config,
	{
		files: unpublished,
		rules: {
			...Object.fromEntries(publishedOnly.map((rule) => [rule, 'off'])),
			// Express tells an error handler by its four arguments, used or not.
			'@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
		},
	},
];
