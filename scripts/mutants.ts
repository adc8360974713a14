/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import execa from 'execa';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../lab/process/paths';
import { mutants } from '../test/mutants';
import { misfit, type Mutant } from '../test/mutants/mutant';
import { filesIn, PUBLISHED, read } from '../test/support/sources';

const USAGE = `npm run mutants -- [NAME…] [--share 1/5] [--outputFile report.json]
Puts one fault after the other into the code, in memory, and runs the unit tests that must fail then.
NAME: only mutants whose names begin so, such as money. --share: every fifth of them.`;

/**
 * After this the tests of one mutant are ended, in ms, and it is not caught: a test that waits for ever fails
 * by Jest's own limit, long before.
 */
const TIME_LIMIT_MS = 900_000;

/** What this program uses of a report of Jest. */
interface Report {
	numFailedTests: number;
	numRuntimeErrorTestSuites: number;
	success: boolean;
	testResults: Array<{ message: string }>;
}

const reports = mkdtempSync(path.join(tmpdir(), 'mutants-'));

/** Runs unit tests, against a mutant if one is given. @returns `undefined` if they came to no end */
async function runTests(
	tests: readonly string[],
	workers: number,
	mutant?: Mutant,
): Promise<Report | undefined> {
	const report = path.join(reports, `${mutant?.name.replaceAll('/', '-') ?? 'unchanged'}.json`);
	const jest = ['-c', 'test/jest/mutants.js', '--silent', '--json', '--outputFile', report];
	await execa(
		'jest',
		[...jest, `--maxWorkers=${workers}`, '--bail=1', '--runTestsByPath', ...tests],
		{
			cwd: projectRoot,
			preferLocal: true,
			env: { TEST_MUTANT: mutant && JSON.stringify(mutant) },
			stdio: 'ignore',
			timeout: mutant ? TIME_LIMIT_MS : 0,
			reject: false,
		},
	);
	return existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as Report) : undefined;
}

const sources = PUBLISHED.flatMap((folder) => filesIn(folder)).map(read);

/** Why a mutant counts as not caught; `undefined` if a test has failed because of it. */
async function survival(mutant: Mutant): Promise<string | undefined> {
	const problem = misfit(mutant, sources);
	if (problem !== undefined) return `no longer applies: ${problem}`;
	const report = await runTests(mutant.tests, 1, mutant);
	if (!report) return `its tests did not end within ${TIME_LIMIT_MS / 1_000} s`;
	if (report.numFailedTests > 0) return undefined;
	if (report.numRuntimeErrorTestSuites === 0) return 'survived: no test fails';
	return `a file of tests cannot be run with it: ${report.testResults.map(({ message }) => message).join('\n')}`;
}

/** Those that the command line names. @throws where it names none */
function chosen(names: string[], share = '1/1'): Mutant[] {
	const [, number = 0, count = 0] = /^(\d+)\/(\d+)$/.exec(share)?.map(Number) ?? [];
	if (number < 1 || number > count) throw new Error(`--share is a number of a count, such as 1/5`);
	const unknown = names.filter((name) => !mutants.some((mutant) => mutant.name.startsWith(name)));
	if (unknown.length > 0) throw new Error(`No mutant has a name that begins with ${unknown[0]}`);
	return mutants
		.filter(({ name }) => names.length === 0 || names.some((begin) => name.startsWith(begin)))
		.filter((_mutant, index) => index % count === number - 1);
}

/** @returns whether all are caught */
async function tryAll(tried: Mutant[], outputFile: string | undefined): Promise<boolean> {
	const workers = availableParallelism();
	const tests = [...new Set(tried.flatMap((mutant) => mutant.tests))];
	const unchanged = await runTests(tests, workers);
	if (!unchanged?.success) {
		console.error(unchanged?.testResults.map(({ message }) => message).join('\n'));
		throw new Error('The tests fail without any mutant');
	}
	let caught = 0;
	const tryOne = async (mutant: Mutant) => {
		const startedAt = Date.now();
		const problem = await survival(mutant);
		if (problem === undefined) caught += 1;
		const seconds = Math.round((Date.now() - startedAt) / 1_000);
		console.log(`${problem === undefined ? 'caught' : 'NOT CAUGHT'} ${mutant.name} (${seconds} s)`);
		if (problem !== undefined) console.log(`   ${mutant.why}\n   ${problem}`);
	};
	const left = tried.values();
	const work = async () => {
		for (const mutant of left) await tryOne(mutant);
	};
	await Promise.all(Array.from({ length: workers }, work));
	console.log(`${caught} of ${tried.length} mutants caught`);
	const failed = tried.length - caught;
	const report = { numPassedTests: caught, numFailedTests: failed, numRuntimeErrorTestSuites: 0 };
	if (outputFile !== undefined) writeFileSync(outputFile, JSON.stringify(report));
	return failed === 0;
}

async function main(args: string[]): Promise<void> {
	const { values, positionals } = parseArgs({
		args,
		allowPositionals: true,
		options: {
			share: { type: 'string' },
			outputFile: { type: 'string' },
			help: { type: 'boolean' },
		},
	});
	if (values.help) return console.log(USAGE);
	const tried = chosen(positionals, values.share);
	if (!(await tryAll(tried, values.outputFile))) process.exitCode = 1;
}

main(process.argv.slice(2))
	.catch((error: unknown) => {
		console.error((error as Error).message);
		process.exitCode = 1;
	})
	.finally(() => rmSync(reports, { recursive: true, force: true }));
