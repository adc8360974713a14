/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'fs';
import { join } from 'path';

import { FAULT_KINDS } from '../../sandbox/faults';
import { readSettings } from '../../sandbox/settings';

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'sandbox.md'), 'utf8');

test.each(Object.keys(readSettings()))('the docs describe the setting %s', (name) => {
	expect(page).toContain(`\`${name}\``);
});

test.each(FAULT_KINDS)('the docs describe the fault %s', (kind) => {
	expect(page).toContain(`\`${kind}\``);
});
