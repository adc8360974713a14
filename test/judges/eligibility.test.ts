/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { execFileSync } from 'child_process';
import { join } from 'path';
import { stripVTControlCharacters } from 'util';
import { ROOT } from '../support/sources';

test("n8n's own tool calls the package eligible for n8n Cloud", () => {
	const tool = join(ROOT, 'node_modules', '@n8n', 'node-cli', 'bin', 'n8n-node.mjs');
	const status = execFileSync(process.execPath, [tool, 'cloud-support'], {
		cwd: ROOT,
		encoding: 'utf8',
	});
	// The tool writes in colour where CI is set, also into a pipe.
	const plain = stripVTControlCharacters(status);
	expect(plain).toContain('Status: eligible for n8n Cloud verification');
	expect(plain).not.toContain('NOT eligible');
});
