/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import { nodesReference } from '../../scripts/reference/nodes';

test('docs/nodes.md says what the nodes are: npm run reference writes it', async () => {
	expect(readFileSync('docs/nodes.md', 'utf8')).toBe(await nodesReference());
});
