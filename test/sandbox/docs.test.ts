import { FAULT_NAMES } from '../../sandbox/faults';
import { readSettings } from '../../sandbox/settings';
import { read } from '../support/sources';

test.each([...Object.keys(readSettings()), ...Object.keys(FAULT_NAMES)])(
	'docs/sandbox.md describes the setting or fault %s',
	(name) => {
		expect(read('docs/sandbox.md')).toContain(`\`${name}\``);
	},
);
