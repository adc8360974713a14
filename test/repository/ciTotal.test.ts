/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { spawnSync } from 'child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { ROOT } from '../support/sources';

const folder = mkdtempSync(join(tmpdir(), 'mediagen-total-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const passed = { numPassedTests: 3, numFailedTests: 0, numRuntimeErrorTestSuites: 0 };

/** What the last line of `.ci/run` says of these reports, and whether CI is red. */
function total(failedSteps: number, ...reports: unknown[]): [string, number | null] {
	const files = reports.map((report, index) => {
		const file = join(folder, `${index}.json`);
		if (report) writeFileSync(file, JSON.stringify(report));
		else rmSync(file, { force: true });
		return file;
	});
	const args = [join(ROOT, '.ci', 'total.cjs'), String(failedSteps), ...files];
	const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
	return [stdout.trim(), status];
}

test.each([
	['all pass', 0, [passed, passed], '6 passed, 0 failed', 0],
	['a test fails', 1, [passed, { ...passed, numFailedTests: 2 }], '6 passed, 2 failed', 1],
	['a file cannot run', 1, [{ ...passed, numRuntimeErrorTestSuites: 1 }], '3 passed, 1 failed', 1],
	['a step fails without a test', 1, [passed], '3 passed, 1 failed', 1],
	['a runner has no report', 0, [passed, undefined], '3 passed, 1 failed', 1],
	[
		'a test.only leaves others out',
		0,
		[{ ...passed, numPendingTests: 4 }],
		'3 passed, 4 failed',
		1,
	],
	['a test is only planned', 0, [{ ...passed, numTodoTests: 1 }], '3 passed, 1 failed', 1],
	['nothing has run', 0, [{ ...passed, numPassedTests: 0 }], '0 passed, 0 failed', 1],
])('where %s', (_what, failedSteps, reports, line, code) => {
	expect(total(failedSteps, ...reports)).toEqual([line, code]);
});
