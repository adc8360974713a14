/**
 * Adds up jest's reports and prints the closing line. A runner without a report, or a step that failed
 * without a failed test, counts as one failure.
 */
const fs = require('node:fs');

const [, , failedSteps, ...reports] = process.argv;
let passed = 0;
let failed = 0;
for (const report of reports) {
	try {
		const result = JSON.parse(fs.readFileSync(report, 'utf8'));
		passed += result.numPassedTests;
		failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
		// A test that was not run has not passed: a forgotten `test.only` leaves out all others of its file.
		failed += (result.numPendingTests ?? 0) + (result.numTodoTests ?? 0);
	} catch {
		failed += 1;
	}
}
if (failed === 0) failed = Number(failedSteps);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
